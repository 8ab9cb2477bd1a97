// Guarantees of one process that several workers must also provide when something fails: a killed worker, brute force, a stop while a worker starts. Uses
// real processes and sockets.
import { Agent, request } from "node:http";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { sendRaw } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { heldPartner, type HeldPartner } from "./held-partner.ts";
import { openDescriptors } from "./process-usage.ts";
import { eventually, replyFlow } from "./started-server.ts";
import {
  callMany,
  callOnNewConnection,
  countReplies,
  expectedStatuses,
  follow,
  heldCalls,
  isAlive,
  put,
  route,
  waitForReports,
  workersOf,
  type WorkerView,
} from "./several-workers.ts";

const workers = 3;

const holdScript = fileURLToPath(new URL("hold-worker.cjs", import.meta.url));
/** While this file exists, workers that are started wait before they do anything. */
const holdFile = join(tmpdir(), `sluice-hold-${process.pid}`);
afterAll(() => rmSync(holdFile, { force: true }));
const holdable = { HOLD_WORKERS: holdFile, NODE_OPTIONS: `--require "${holdScript}"` };

const followersOf = async (server: SpawnedServer): Promise<readonly WorkerView[]> => (await workersOf(server)).filter(({ leads }) => !leads);

const waitForAllWorkers = (server: SpawnedServer): Promise<void> => eventually(async () => (await workersOf(server).catch(() => [])).length === workers);

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
  let partner: HeldPartner;
  /** A route that waits for the partner. */
  const held = (id: string): string => route(id, "webhook", `to: ${partner.url}`);
  beforeAll(async () => {
    partner = await heldPartner();
    server = await spawnServer({ env: { ...holdable, SERVICE_WORKERS: String(workers), SERVICE_WRONG_CREDENTIALS: "3", SERVICE_DRAIN_MS: "60s" } });
  });
  afterAll(async () => {
    await server?.end("SIGKILL");
    server?.clean();
    partner?.close();
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
    const followers = (await followersOf(server)).map(({ pid }) => pid);
    process.kill(leader.pid, "SIGSTOP");
    const replies = callMany(1_500, server.baseUrl, "/api/burst");
    try {
      // Each follower has accepted its part of the requests, and forwards them.
      await eventually(() => followers.every((pid) => openDescriptors(pid) > 600));
    } finally {
      process.kill(leader.pid, "SIGCONT");
    }
    expect(countReplies(await replies)).toEqual({ "200 ok": 1_500 });
  });

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
    await put(server, "leaving", route("leaving", "webhook", `choice: {when: [{simple: "\${body} == 'wait'", steps: [{to: "${partner.url}"}]}]}`));
    const url = `${server.baseUrl}/api/leaving`;
    const agent = await connectionToFollower(server, url, "pass");
    const slow = onConnection(agent, url, "wait");
    await eventually(() => partner.waiting() === 1);
    let isRemoved = false;
    const removing = server.api("DELETE", "/flows/leaving").finally(() => (isRemoved = true));
    await eventually(async () => (await callOnNewConnection(server.baseUrl, "/api/leaving", "pass")).status === 404);
    expect(isRemoved).toBe(false);
    partner.respond();
    expect((await removing).json).toMatchObject({ deleted: true, drained: true });
    expect(await slow).toBe(200);
    agent.destroy();
  });

  it("keeps the counts of a killed worker, even if they were never read", async () => {
    await put(server, "counted", replyFlow("counted", "n"));
    const [killedWorker] = await followersOf(server);
    expect(countReplies(await callMany(60, server.baseUrl, "/api/counted"))).toEqual({ "200 n": 60 });
    await waitForReports(server);
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
    await put(server, "lost", held("lost"));
    await put(server, "failures", route("failures", "sluice-event:run.failed", 'log: "event ${body}"'));
    // A stream ends with the worker that serves it, so more streams than workers are opened.
    const streams = await Promise.all(Array.from({ length: workers * 2 }, () => follow(server, "/trace/stream?routeId=lost&type=run.started,run.failed")));
    const calls = await heldCalls(server, { path: "/api/lost", partner, isIn: ({ leads }) => !leads });
    const { worker: killedWorker, inWorker: lostCalls } = calls;
    await waitForReports(server);
    writeFileSync(holdFile, "");
    process.kill(killedWorker.pid, "SIGKILL");
    await eventually(async () => (await server.api("GET", "/health").catch(() => undefined))?.json?.missingWorkers === 1);
    expect((await server.api("GET", "/health")).json.status).toBe("DEGRADED");
    rmSync(holdFile);
    await waitForAllWorkers(server);
    partner.respond();
    expect((await calls.statuses()).toSorted((a, b) => a - b)).toEqual(expectedStatuses(calls));
    const { json: healthAfter } = await server.api("GET", "/health");
    expect(healthAfter).toMatchObject({ status: "UP", missingWorkers: 0, lastWorkerEnd: { pid: killedWorker.pid, how: "SIGKILL" } });
    expect(healthAfter.routes.find(({ id }: any) => id === "lost")).toMatchObject({ total: calls.total, failed: lostCalls, inflight: 0 });
    const endedIn = ({ events }: (typeof streams)[number]): readonly any[] => events.filter(({ type }) => type === "run.failed");
    await eventually(() => streams.some((stream) => endedIn(stream).length === lostCalls));
    const trace = streams.find((stream) => endedIn(stream).length === lostCalls) as (typeof streams)[number];
    const ended = endedIn(trace);
    expect(ended.map(({ error }) => error.type)).toEqual(Array(lostCalls).fill("WorkerExited"));
    const started = new Set(trace.events.filter(({ type }) => type === "run.started").map(({ runId }) => runId));
    expect(ended.filter(({ runId }) => !started.has(runId))).toEqual([]);
    // Waiting for the reports also starts runs, which may be lost with the worker.
    await eventually(() => server.output().match(/event [^\n]*\\"routeId\\":\\"lost\\"[^\n]*WorkerExited/g)?.length === lostCalls);
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
    const server = await spawnServer({ env: { ...holdable, SERVICE_WORKERS: "2" } });
    const initialChildren = childrenOf(server.pid);
    const [killedWorker] = await followersOf(server);
    writeFileSync(holdFile, "");
    process.kill((killedWorker as WorkerView).pid, "SIGKILL");
    // Its replacement exists, but does nothing yet.
    await eventually(() => childrenOf(server.pid).some((pid) => !initialChildren.includes(pid)));
    expect(await server.end()).toBe(0);
    rmSync(holdFile);
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
