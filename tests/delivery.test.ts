// Accepted messages are processed, or the failure is reported: with real clocks and partners. The longer tests are in tests/faults.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { call, eventually, startTestServer, type StartedServer } from "./started-server.ts";
import { stubPartner } from "./stub-partner.ts";

let server: StartedServer;
beforeAll(async () => void (server = await startTestServer({ env: { SERVICE_MAX_INFLIGHT: "2000" } })));
afterAll(() => server.end());

const route = (id: string, from: string, ...steps: readonly string[]): string =>
  `- route:\n    id: ${id}\n    from:\n      uri: ${from}\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;
const runsOf = async (routeId: string): Promise<any[]> => (await server.api("GET", `/runs?routeId=${routeId}`)).json.runs;
const post = (id: string, body = "original") => call(server.baseUrl, "POST", `/api/${id}`, body, { "content-type": "text/plain" });

/** Starts `work` while the clock of the runs stands still, and lets `ms` pass when the condition holds, however long that took. */
async function withFrozenClock<T>(work: () => Promise<T>, condition: () => boolean, ms: number): Promise<T> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    vi.useRealTimers();
  });
  const result = work();
  while (!isOver && !condition()) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(ms);
  return result.finally(() => vi.useRealTimers());
}

describe("failures", () => {
  it("a step that throws is a 500 and a failed run that names the step", async () => {
    await server.putFlow(
      "throwing",
      route("throwing", "webhook", "throwException: {id: broken, exceptionType: java.lang.IllegalArgumentException, message: boom}"),
    );
    const reply = await post("throwing");
    expect([reply.status, Object.keys(reply.json), reply.text.includes("boom")]).toEqual([500, ["error"], false]);
    expect(await runsOf("throwing")).toMatchObject([
      { status: "failed", error: { stepId: "broken", message: "boom" }, steps: [{ stepId: "broken", status: "failed" }] },
    ]);
  });

  it("an exhausted message reaches the dead letter endpoint once, with the original body and the reason, and the caller sees no failure", async () => {
    const failing = await stubPartner((_call, response) => void response.writeHead(500).end("no"));
    const deadLetters = await stubPartner();
    await server.putFlow(
      "exhausted",
      `- errorHandler:\n    deadLetterChannel:\n      deadLetterUri: direct:exhausted-dead\n      useOriginalMessage: true\n      redeliveryPolicy: {maximumRedeliveries: 1, redeliveryDelay: 1}\n` +
        route("exhausted", "webhook", "setBody: {constant: changed}", `to: ${failing.url}/`) +
        route("exhausted-dead", "direct:exhausted-dead", 'setHeader: {name: X-Why, simple: "${exception.message}"}', `to: ${deadLetters.url}/dead`),
    );
    expect((await post("exhausted")).status).toBe(200);
    expect(deadLetters.calls.map(({ body, headers }) => [body, headers["x-why"]])).toEqual([["original", expect.stringContaining("500")]]);
    expect(failing.calls).toHaveLength(2);
    await Promise.all([failing.close(), deadLetters.close()]);
  });

  it("a dead letter endpoint that fails too is a 500 and a failed run", async () => {
    const down = await stubPartner((_call, response) => void response.writeHead(500).end());
    await server.putFlow(
      "dead-letters-down",
      `- errorHandler:\n    deadLetterChannel: {deadLetterUri: "${down.url}/dead"}\n${route("dead-letters-down", "webhook", "throwException: {exceptionType: java.lang.Exception, message: first}")}`,
    );
    expect((await post("dead-letters-down")).status).toBe(500);
    expect(await runsOf("dead-letters-down")).toMatchObject([{ status: "failed" }]);
    await down.close();
  });

  it("a partner that never replies fails the run at the timeout: the connection is closed and no run stays in flight", async () => {
    const silent = await stubPartner(() => undefined);
    await server.putFlow("silent-partner", route("silent-partner", "webhook", `to: ${silent.url}/?responseTimeout=300`));
    const reply = await withFrozenClock(
      () => post("silent-partner"),
      () => silent.calls.length === 1,
      1_000,
    );
    expect([reply.status === 500 || reply.status === 504, Object.keys(reply.json)]).toEqual([true, ["error"]]);
    await eventually(() => silent.calls[0]?.aborted === true);
    const inflight = async (): Promise<unknown> =>
      (await server.api("GET", "/health")).json.routes.find(({ id }: { id: string }) => id === "silent-partner").inflight;
    await expect.poll(inflight).toBe(0);
    await silent.close();
  });

  it("past the deadline the caller gets 504, the partner's call is aborted and no later step ever runs", async () => {
    const limited = await startTestServer({ env: { SERVICE_RUN_MS: "2s" } });
    const silent = await stubPartner(() => undefined);
    const later = await stubPartner();
    const steps = [`to: ${silent.url}/`, ...Array.from({ length: 3 }, () => `to: ${later.url}/`)];
    await limited.putFlow("overdue", route("overdue", "webhook", "log: one", ...steps));
    await limited.putFlow(
      "overdue-copies",
      route(
        "overdue-copies",
        "webhook",
        `multicast: {parallelProcessing: true, steps: [{pipeline: {steps: [${steps.map((step) => `{${step}}`).join(", ")}]}}, {pipeline: {steps: [{delay: {constant: "3000"}}, {to: "${later.url}/"}]}}]}`,
      ),
    );
    await limited.putFlow("witness", route("witness", "webhook", `to: ${later.url}/witness`));
    const postTo = (id: string) => call(limited.baseUrl, "POST", `/api/${id}`, "x");
    // Longer than the delay above, which would have ended.
    const replies = await withFrozenClock(
      () => Promise.all([postTo("overdue"), postTo("overdue-copies")]),
      () => silent.calls.length === 2,
      4_000,
    );
    expect(replies.map(({ status }) => status)).toEqual([504, 504]);
    await eventually(() => silent.calls.every(({ aborted }) => aborted));
    expect((await postTo("witness")).status).toBe(200);
    expect(later.calls.map(({ url }) => url)).toEqual(["/witness"]);
    expect((await limited.api("GET", "/runs?routeId=overdue")).json.runs).toMatchObject([{ status: "cancelled" }]);
    await Promise.all([silent.close(), later.close()]);
    await limited.end();
  });
});

describe("many messages", () => {
  it("one poison message among 200 is dead-lettered, the rest pass", async () => {
    const deadLetters: string[] = [];
    const done: string[] = [];
    const target = await stubPartner(({ url, body }, response) => {
      if (url === "/dead") deadLetters.push(body);
      else if (body === "poison") response.statusCode = 500;
      else done.push(body);
      response.end();
    });
    await server.putFlow(
      "poisoned",
      `- errorHandler:\n    deadLetterChannel:\n      deadLetterUri: "${target.url}/dead"\n      redeliveryPolicy: {maximumRedeliveries: 2, redeliveryDelay: 50}\n` +
        route("poisoned", "webhook", "to: {uri: 'seda:poisoned', parameters: {waitForTaskToComplete: Never, size: 2000}}") +
        route("poisoned-work", "seda:poisoned?concurrentConsumers=10&size=2000", `to: ${target.url}/work`),
    );
    const bodies = Array.from({ length: 200 }, (_, index) => (index === 100 ? "poison" : `m${index}`));
    for (let from = 0; from < 200; from += 50) {
      const replies = await Promise.all(bodies.slice(from, from + 50).map((body) => post("poisoned", body)));
      expect(replies.every(({ status }) => status === 200)).toBe(true);
    }
    await eventually(() => done.length >= 199 && deadLetters.length >= 1);
    expect(deadLetters).toEqual(["poison"]);
    expect(new Set(done).size).toBe(199);
    await target.close();
  });

  it("wire taps, multicasts, splits and queues lose no message when the runtime is stopped under load", async () => {
    const counts = new Map<string, number>();
    const target = await stubPartner(({ url }, response) => {
      counts.set(url, (counts.get(url) ?? 0) + 1);
      // Work queues up.
      setImmediate(() => response.end());
    });
    const stopping = await startTestServer({ env: { SERVICE_DRAIN_MS: "60s" } });
    await stopping.putFlow(
      "stopping",
      route(
        "stopping",
        "webhook",
        `wireTap: {uri: "${target.url}/tap"}`,
        `multicast: {parallelProcessing: true, steps: [{to: "${target.url}/one"}, {to: "${target.url}/two"}]}`,
        `split: {constant: "a,b,c", steps: [{to: "${target.url}/part"}]}`,
        "to: {uri: 'seda:stopping', parameters: {waitForTaskToComplete: Never, size: 100000}}",
        "setBody: {constant: accepted}",
      ) + route("stopping-work", "seda:stopping?size=100000", `to: ${target.url}/queued`),
    );
    let accepted = 0;
    let running = true;
    const loops = Array.from({ length: 20 }, async () => {
      while (running) {
        const reply = await call(stopping.baseUrl, "POST", "/api/stopping", "x").catch(() => undefined);
        if (reply?.text === "accepted") accepted++;
        else if (reply === undefined || reply.status === 503) return;
      }
    });
    await eventually(() => accepted > 100);
    const { drained } = await stopping.stop();
    running = false;
    await Promise.all(loops);
    expect(drained).toBe(true);
    expect(Object.fromEntries(counts)).toEqual({ "/tap": accepted, "/one": accepted, "/two": accepted, "/part": 3 * accepted, "/queued": accepted });
    await target.close();
    await stopping.end();
  });
});
