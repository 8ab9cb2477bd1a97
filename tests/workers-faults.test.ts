// Guarantees of one process that several workers must also provide when something fails: a killed worker, brute force, a stop while a worker starts. Uses
// real processes and sockets.
import { Agent, request } from "node:http";
import { readFileSync } from "node:fs";
import { sendRaw } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { eventually, replyFlow, sleep } from "./started-server.ts";
import {
  callMany,
  callOnNewConnection,
  countReplies,
  follow,
  isAlive,
  put,
  reportDelayMs,
  route,
  waitForRuns,
  workersOf,
  type WorkerView,
} from "./several-workers.ts";

const workers = 3;

const followersOf = async (server: SpawnedServer): Promise<readonly WorkerView[]> => (await workersOf(server)).filter(({ leads }) => !leads);

const waitForAllWorkers = (server: SpawnedServer): Promise<void> =>
  eventually(async () => (await workersOf(server).catch(() => [])).length === workers, 60_000);

const childrenOf = (pid: number): readonly number[] => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

/** A request on the single connection of an agent. */
function onConnection(agent: Agent, url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent, headers }, (incoming) => {
      incoming.resume().on("end", () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Opens a connection that a follower accepts, as shown by the number of its runs. */
async function connectionToFollower(server: SpawnedServer, url: string, body: string): Promise<Agent> {
  for (let turn = 0; turn < 12; turn++) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const before = await followersOf(server);
    await onConnection(agent, url, body);
    const after = await followersOf(server);
    if (after.some(({ pid, runs }) => runs > (before.find((worker) => worker.pid === pid)?.runs ?? 0))) return agent;
    agent.destroy();
  }
  throw new Error("no connection reached a follower");
}

describe("several workers with failures", () => {
  let server: SpawnedServer;
  beforeAll(async () => {
    server = await spawnServer({ env: { SERVICE_WORKERS: String(workers), SERVICE_WRONG_CREDENTIALS: "3", SERVICE_DRAIN_MS: "20s" } });
  });
  afterAll(async () => {
    await server?.end();
    server?.clean();
  });

  it("passes the client's original head to a tied route, whichever worker received it", async () => {
    await put(server, "heads", route("heads", "webhook?idempotency=true&httpMethodRestrict=GET,POST", 'setBody: {simple: "${headers}"}'));
    const bodiesOf = async (text: string): Promise<ReadonlySet<string>> => {
      const replies = [];
      for (let turn = 0; turn < workers * 2; turn++) replies.push((await sendRaw(Number(new URL(server.baseUrl).port), text)).text);
      return new Set(replies.map((reply) => `${reply.slice(9, 12)} ${reply.split("\r\n\r\n")[1]}`));
    };
    const expectedBody = (host: string): string =>
      `"CamelHttpMethod":"GET","CamelHttpPath":"/api/heads","CamelHttpUri":"/api/heads","CamelHttpUrl":"http://${host}/api/heads"}`;
    expect(await bodiesOf("GET /api/heads HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n")).toEqual(
      new Set([`200 {"Host":"shop",${expectedBody("shop")}`]),
    );
    expect(await bodiesOf("GET /api/heads HTTP/1.0\r\n\r\n")).toEqual(new Set([`200 {${expectedBody("localhost")}`]));
    const large = await bodiesOf(`GET /api/heads HTTP/1.1\r\nHost: shop\r\nConnection: close\r\nX-Large: ${"x".repeat(16_300)}\r\n\r\n`);
    expect([...large].map((reply) => reply.slice(0, 3))).toEqual(["200"]);
  });

  it("responds to more concurrent requests for the leader than fit in its backlog", async () => {
    await put(server, "burst", route("burst", "webhook", "throttle: {constant: '1000000'}", "setBody: {constant: ok}"));
    const leader = (await workersOf(server)).find(({ leads }) => leads) as WorkerView;
    process.kill(leader.pid, "SIGSTOP");
    const replies = callMany(1_500, server.baseUrl, "/api/burst");
    try {
      await sleep(1_500);
    } finally {
      process.kill(leader.pid, "SIGCONT");
    }
    expect(countReplies(await replies)).toEqual({ "200 ok": 1_500 });
  }, 60_000);

  it("blocks a source with too many failed attempts in every worker", async () => {
    await put(server, "guarded", replyFlow("guarded", "in"));
    const authenticate = [{ type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "shop", key: "s3cr3t-key" }] }];
    await server.api("PUT", "/auth/guarded", { authenticate, default: "allow" });
    // All attempts use one connection, so the other workers receive none of them.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const guesses = [];
    for (let turn = 0; turn < 5; turn++) guesses.push(await onConnection(agent, `${server.baseUrl}/api/guarded`, "x", { "x-api-key": `guess ${turn}` }));
    agent.destroy();
    expect(guesses).toEqual([401, 401, 401, 429, 429]);
    const replies = await callMany(9, server.baseUrl, "/api/guarded", { "x-api-key": "s3cr3t-key" });
    expect(replies.map(({ status }) => status)).toEqual(Array(9).fill(429));
  });

  it("responds to a removal when the runs in every worker are done", async () => {
    await put(server, "leaving", route("leaving", "webhook", 'delay: {simple: "${body}"}'));
    const agent = await connectionToFollower(server, `${server.baseUrl}/api/leaving`, "0");
    let isDone = false;
    const slow = onConnection(agent, `${server.baseUrl}/api/leaving`, "6500").finally(() => (isDone = true));
    await waitForRuns(server, "leaving", 1);
    const { json } = await server.api("DELETE", "/flows/leaving");
    expect(json).toMatchObject({ deleted: true, drained: true });
    expect(isDone || (await Promise.race([slow.then(() => true), sleep(500).then(() => false)]))).toBe(true);
    expect(await slow).toBe(200);
    agent.destroy();
  });

  it("keeps the counts of a killed worker, even if they were never read", async () => {
    await put(server, "counted", replyFlow("counted", "n"));
    const [killedWorker] = await followersOf(server);
    expect(countReplies(await callMany(60, server.baseUrl, "/api/counted"))).toEqual({ "200 n": 60 });
    await sleep(reportDelayMs);
    process.kill((killedWorker as WorkerView).pid, "SIGKILL");
    await eventually(() => !isAlive((killedWorker as WorkerView).pid));
    await waitForAllWorkers(server);
    expect((await server.api("GET", "/metrics")).text).toContain('sluice_runs_total{flow="counted",route="counted",status="completed"} 60');
    expect((await server.api("GET", "/health")).json.routes.find(({ id }: any) => id === "counted")).toMatchObject({ total: 60, failed: 0 });
    // A new version starts its counts at 0.
    await put(server, "counted", replyFlow("counted", "m"));
    expect((await server.api("GET", "/health")).json.routes.find(({ id }: any) => id === "counted")).toMatchObject({ total: 0, failed: 0 });
  });

  it("traces, reports and counts the runs that were lost with their worker, and reports the missing worker", async () => {
    await put(server, "lost", route("lost", "webhook", "delay: {constant: 8000}"));
    await put(server, "failures", route("failures", "sluice-event:run.failed", 'log: "event ${body}"'));
    // A stream ends with the worker that serves it, so more streams than workers are opened.
    const streams = await Promise.all(Array.from({ length: workers * 2 }, () => follow(server, "/trace/stream?routeId=lost&type=run.started,run.failed")));
    const pending = Array.from({ length: 9 }, () =>
      callOnNewConnection(server.baseUrl, "/api/lost").then(
        ({ status }) => status,
        () => 0,
      ),
    );
    await waitForRuns(server, "lost", 9);
    await sleep(reportDelayMs);
    const [killedWorker] = await followersOf(server);
    process.kill((killedWorker as WorkerView).pid, "SIGKILL");
    await eventually(async () => (await server.api("GET", "/health").catch(() => undefined))?.json?.missingWorkers === 1);
    const { json: health } = await server.api("GET", "/health");
    if (health.missingWorkers === 1) expect(health.status).toBe("DEGRADED");
    await waitForAllWorkers(server);
    const lostCalls = (await Promise.all(pending)).filter((status) => status === 0).length;
    expect(lostCalls).toBeGreaterThan(0);
    const { json: healthAfter } = await server.api("GET", "/health");
    expect(healthAfter).toMatchObject({ status: "UP", missingWorkers: 0, lastWorkerEnd: { pid: killedWorker?.pid, how: "SIGKILL" } });
    expect(healthAfter.routes.find(({ id }: any) => id === "lost")).toMatchObject({ total: 9, failed: lostCalls, inflight: 0 });
    const endedIn = ({ events }: (typeof streams)[number]): readonly any[] => events.filter(({ type }) => type === "run.failed");
    await eventually(() => streams.some((stream) => endedIn(stream).length === lostCalls));
    const trace = streams.find((stream) => endedIn(stream).length === lostCalls) as (typeof streams)[number];
    const ended = endedIn(trace);
    expect(ended.map(({ error }) => error.type)).toEqual(Array(lostCalls).fill("WorkerExited"));
    const started = new Set(trace.events.filter(({ type }) => type === "run.started").map(({ runId }) => runId));
    expect(ended.filter(({ runId }) => !started.has(runId))).toEqual([]);
    await eventually(() => server.output().match(/event [^\n]*WorkerExited/g)?.length === lostCalls);
    for (const { close } of streams) close();
  });

  it("replaces the leader and a follower that exit at the same time, on the first attempt", async () => {
    const before = server.output().length;
    const [leader, other] = [...(await workersOf(server))].sort((a, b) => Number(b.leads) - Number(a.leads)) as [WorkerView, WorkerView];
    for (const { pid } of [leader, other]) process.kill(pid, "SIGKILL");
    await eventually(() => !isAlive(leader.pid) && !isAlive(other.pid));
    await waitForAllWorkers(server);
    const output = server.output().slice(before);
    expect(output).not.toContain("failed to start");
    expect(output.match(/Leader worker \(process \d+\) exited/g)).toEqual([`Leader worker (process ${leader.pid}) exited`]);
  });
});

describe("stopping", () => {
  it("does not wait for a worker that has only just been started", async () => {
    const server = await spawnServer({ env: { SERVICE_WORKERS: String(workers) } });
    const initialChildren = childrenOf(server.pid);
    const [killedWorker] = await followersOf(server);
    process.kill((killedWorker as WorkerView).pid, "SIGKILL");
    // Its replacement exists, but is not ready yet.
    await eventually(() => childrenOf(server.pid).some((pid) => !initialChildren.includes(pid)));
    const startTime = performance.now();
    expect(await server.end()).toBe(0);
    expect(performance.now() - startTime).toBeLessThan(10_000);
    server.clean();
  });
});

describe("starting", () => {
  it("reports an invalid setting as a single process does, even if only a worker detects it", async () => {
    const messages: string[] = [];
    for (const count of ["1", "2"]) {
      const starting = spawnServer({ env: { SERVICE_WORKERS: count, SERVICE_TRUSTED_PROXIES: "nowhere" } });
      messages.push(
        await starting.then(
          () => "it started",
          ({ message }: Error) => message.trim(),
        ),
      );
    }
    const text = "SERVICE_TRUSTED_PROXIES: 'nowhere' is not an address or network such as 10.0.0.0/8";
    expect(messages).toEqual(Array(2).fill(`the runtime ended with 2 before it was ready: sluice run: ${text}`));
  });
});
