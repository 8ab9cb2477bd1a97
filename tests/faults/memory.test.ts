// Large inputs and many flows. The memory, the file descriptors and the latency of a canary route are measured in a separate process.
import { Agent, request } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canaryFlow, startCanary } from "../canary.ts";
import { startBareServer } from "../bare-server.ts";
import { openDescriptors, residentMiB, watchMemory } from "../process-usage.ts";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { call, eventually, replyFlow, sleep } from "../started-server.ts";

let server: SpawnedServer;
beforeAll(async () => {
  server = await spawnServer({ env: { SERVICE_RUN_MS: "10m", SERVICE_MAX_BODY: "40MiB", SERVICE_DRAIN_MS: "2s", SERVICE_KEEP_ALIVE_MS: "2s" } });
  expect((await server.putFlow("canary", canaryFlow)).status).toBe(201);
});
afterAll(async () => {
  await server.end("SIGKILL");
  server.clean();
});

const route = (id: string, from: string, ...steps: readonly string[]): string =>
  `- route:\n    id: ${id}\n    from:\n      uri: ${from}\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;
const figures: string[] = [];
afterAll(() => console.log(figures.join("\n")));

/** Runs `work` while a canary is called; returns the maximum memory growth in MiB. */
async function measureGrowth(name: string, work: () => Promise<void>, canaryMs?: number): Promise<number> {
  const canary = await startCanary(server, canaryMs);
  const memory = watchMemory(server.pid);
  const startTime = performance.now();
  try {
    await work();
  } finally {
    memory.stop();
    const { p99, calls } = await canary.stop();
    figures.push(
      `${name}: ${((performance.now() - startTime) / 1000).toFixed(1)} s, +${(memory.peak() - memory.before).toFixed(0)} MiB, canary p99 ${p99.toFixed(0)} ms of ${calls}`,
    );
  }
  return memory.peak() - memory.before;
}

describe("a split of 1,000,000 lines uses bounded memory", () => {
  const lines = (): string => Array.from({ length: 1_000_000 }, (_, index) => `line ${index}`).join("\n");
  it.each([
    ["sequential", "streaming: true"],
    ["parallel", "streaming: true, parallelProcessing: true"],
  ])("%s, from a file", async (name, options) => {
    const folder = join(server.dataDir, `in-${name}`);
    mkdirSync(folder);
    const put = await server.putFlow(
      `split-${name}`,
      route(
        `split-${name}`,
        `file:${folder}?initialDelay=0&delay=200&streamOver=1MiB`,
        `split: {tokenize: {token: "\\n"}, ${options}, steps: [{setProperty: {name: p, simple: "\${body}"}}]}`,
      ),
    );
    expect(put.json?.error).toBeUndefined();
    const isOver = async (): Promise<boolean> =>
      (await server.api("GET", `/runs?routeId=split-${name}`)).json.runs.some(({ status }: { status: string }) => status !== "running");
    const growthMib = await measureGrowth(`split of a file, ${name}`, async () => {
      writeFileSync(join(folder, "lines.txt"), lines());
      await eventually(isOver, 240_000);
    });
    expect(growthMib).toBeLessThan(200);
    expect((await server.api("GET", `/runs?routeId=split-${name}`)).json.runs).toMatchObject([{ status: "completed" }]);
    await server.api("DELETE", `/flows/split-${name}`);
  });

  it.each([
    ["body-sequential", ""],
    ["body-parallel", "parallelProcessing: true,"],
  ])("%s, from a request", async (name, options) => {
    await server.putFlow(
      name,
      route(
        name,
        "webhook",
        `split: {tokenize: {token: "\\n"}, ${options} steps: [{setProperty: {name: p, simple: "\${body}"}}]}`,
        "setBody: {constant: done}",
      ),
    );
    const body = lines();
    const growthMib = await measureGrowth(`split of a request, ${name}`, async () => {
      expect((await call(server.baseUrl, "POST", `/api/${name}`, body, { "content-type": "text/plain" })).text).toBe("done");
    });
    expect(growthMib).toBeLessThan(200);
    await server.api("DELETE", `/flows/${name}`);
  });
});

it("1,000,000 messages, each with its own key and no completion, are bounded and logged", async () => {
  const aggregate = `aggregate: {correlationExpression: {simple: "\${body}"}, completionSize: "1000000", aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", steps: [{setProperty: {name: p, constant: x}}]}`;
  await server.putFlow("ungrouped", route("ungrouped", "webhook", `split: {tokenize: {token: "\\n"}, steps: [{${aggregate}}]}`, "setBody: {constant: done}"));
  const growthMib = await measureGrowth("open groups", async () => {
    for (let part = 0; part < 10; part++) {
      const body = Array.from({ length: 100_000 }, (_, index) => `key-${part}-${index}`).join("\n");
      expect((await call(server.baseUrl, "POST", "/api/ungrouped", body, { "content-type": "text/plain" })).text).toBe("done");
    }
  });
  expect(growthMib).toBeLessThan(300);
  expect(server.output()).toMatch(/open groups/);
  await server.api("DELETE", "/flows/ungrouped");
});

/** Makes 10,000 calls in groups; each group starts when the previous group is connected. Returns the count per status, 0 for no response. */
async function tenThousandCalls(url: string, atOnce: number): Promise<Readonly<Record<string, number>>> {
  const agent = new Agent({ keepAlive: false, maxSockets: 9_000 });
  const statuses: Record<string, number> = {};
  const count = (status: number | string): void => void (statuses[status] = (statuses[status] ?? 0) + 1);
  const startCall = (): { readonly connected: Promise<unknown>; readonly completed: Promise<void> } => {
    const outgoing = request(url, { method: "POST", agent });
    const completed = new Promise<void>((resolve) => {
      outgoing.on("response", (incoming) => {
        count(incoming.statusCode === 503 && incoming.headers["retry-after"] === undefined ? "503 without Retry-After" : (incoming.statusCode ?? 0));
        incoming.resume().on("end", resolve);
      });
      outgoing.on("error", () => (count(0), resolve()));
    });
    const connected = new Promise((resolve) => outgoing.on("socket", (socket) => socket.once("connect", resolve)));
    outgoing.end("x");
    return { connected: Promise.race([connected, completed]), completed };
  };
  const calls: Promise<void>[] = [];
  while (calls.length < 10_000) {
    const group = Array.from({ length: Math.min(atOnce, 10_000 - calls.length) }, startCall);
    calls.push(...group.map(({ completed }) => completed));
    if (calls.length < 10_000) await Promise.all(group.map(({ connected }) => connected));
  }
  await Promise.all(calls);
  agent.destroy();
  return statuses;
}

describe("10,000 calls to a route that waits: calls over the limit get 503, and the management API and other routes still respond", () => {
  const expectBounded = async (name: string, atOnce: number, canaryMs?: number): Promise<void> => {
    await server.putFlow("waiting", route("waiting", "webhook", 'delay: {constant: "30000"}'));
    let statuses: Readonly<Record<string, number>> = {};
    const work = async (): Promise<void> => {
      const calls = tenThousandCalls(`${server.baseUrl}/api/waiting`, atOnce);
      await sleep(3_000);
      expect((await server.api("GET", "/health")).status).toBe(200);
      statuses = await calls;
    };
    await measureGrowth(name, work, canaryMs);
    figures.push(`${name} statuses: ${JSON.stringify(statuses)}`);
    expect(statuses["200"]).toBe(2_000);
    expect((statuses["503"] ?? 0) + (statuses["0"] ?? 0)).toBe(8_000);
    await server.api("DELETE", "/flows/waiting");
  };

  it("500 at a time", () => expectBounded("calls, 500 at a time", 500));

  // Parsing 10,000 requests takes Node itself most of a second, and later requests wait behind them: a bare server is the reference.
  it("at the same time", async () => {
    const bare = await startBareServer(["prlimit", "--nofile=20000"]);
    const canary = await startCanary(bare, Infinity);
    expect(await tenThousandCalls(`${bare.baseUrl}/`, 10_000)).toEqual({ 200: 10_000 });
    const { p99 } = await canary.stop();
    await bare.end();
    figures.push(`calls at once: canary p99 ${p99.toFixed(0)} ms with a bare server`);
    await expectBounded("calls at once", 10_000, 250 + p99);
  });
});

it("the run history is bounded in count and bytes, regardless of the bodies", async () => {
  await server.putFlow("recorded", replyFlow("recorded", "x"));
  const body = "y".repeat(1024 * 1024);
  const growthMib = await measureGrowth("run history", async () => {
    for (let round = 0; round < 60; round++) await Promise.all(Array.from({ length: 10 }, () => call(server.baseUrl, "POST", "/api/recorded", body)));
  });
  expect(growthMib).toBeLessThan(200);
  expect((await server.api("GET", "/runs?routeId=recorded&limit=1000")).json.runs.length).toBeLessThanOrEqual(250);
  expect((await server.api("GET", "/runs?routeId=recorded&limit=7")).json.runs).toHaveLength(7);
  await server.api("DELETE", "/flows/recorded");
});

it("1,000 deployments and removals of 20 flows leak nothing", async () => {
  const cycle = async (): Promise<void> => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        server.putFlow(
          `leak-${index}`,
          route(`leak-${index}`, "webhook", "to: {uri: 'seda:leak', parameters: {waitForTaskToComplete: Never}}", "setBody: {constant: x}") +
            (index === 0
              ? route("leak-q", "seda:leak", "log: {loggingLevel: TRACE, message: x}") + route("leak-t", "timer:leak?period=50&delay=10", "to: seda:leak")
              : ""),
        ),
      ),
    );
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => server.api("DELETE", `/flows/leak-${index}`)));
    expect(replies.every(({ status }) => status < 300)).toBe(true);
  };
  for (let warmUp = 0; warmUp < 10; warmUp++) await cycle();
  // Idle connections of this test are closed after two seconds and must not count.
  await sleep(4_000);
  const before = { files: openDescriptors(server.pid), memory: residentMiB(server.pid) };
  for (let round = 0; round < 50; round++) await cycle();
  await sleep(4_000);
  const after = { files: openDescriptors(server.pid), memory: residentMiB(server.pid) };
  figures.push(`deployments: ${JSON.stringify(before)} → ${JSON.stringify(after)}`);
  expect(after.files).toBeLessThanOrEqual(before.files + 5);
  expect(after.memory).toBeLessThan(before.memory + 50);
  expect(server.output()).not.toMatch(/MaxListeners/);
});

it("with 400 flows of 5 routes, list and health take at most half a second, one PUT at most a second", async () => {
  const fiveRoutes = (flow: number): string =>
    Array.from({ length: 5 }, (_, index) => route(`many-${flow}-${index}`, `direct:many-${flow}-${index}`, "setBody: {constant: x}")).join("");
  for (let from = 0; from < 400; from += 20) {
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => server.putFlow(`many-${from + index}`, fiveRoutes(from + index))));
    expect(replies.every(({ status }) => status === 201)).toBe(true);
  }
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const startTime = performance.now();
    await work();
    return performance.now() - startTime;
  };
  const best = async (work: () => Promise<unknown>): Promise<number> => Math.min(await timed(work), await timed(work), await timed(work));
  const times = {
    list: await best(() => server.api("GET", "/flows")),
    health: await best(() => server.api("GET", "/health")),
    put: await best(() => server.putFlow("many-0", fiveRoutes(0).replaceAll("constant: x", `constant: y${Math.random()}`))),
  };
  figures.push(`400 flows: ${JSON.stringify(times)}`);
  expect(times.list).toBeLessThan(500);
  expect(times.health).toBeLessThan(500);
  expect(times.put).toBeLessThan(1000);
});
