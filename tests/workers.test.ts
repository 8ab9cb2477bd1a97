// A service of several worker processes from the user's point of view: one port, one management API, and the same behavior as one process with more
// capacity. Uses real processes and sockets.
import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { heldPartner, type HeldPartner } from "./held-partner.ts";
import { eventually, replyFlow, token } from "./started-server.ts";
import {
  follow,
  callOnNewConnection,
  isAlive,
  countReplies,
  callMany,
  put,
  route,
  statusesOf,
  heldCalls,
  expectedStatuses,
  waitForReports,
  waitForRuns,
  workersOf,
  type Reply,
} from "./several-workers.ts";
import { startLoad } from "./webhook-load.ts";

const workers = 3;

describe("several workers", () => {
  let server: SpawnedServer;
  let partner: HeldPartner;
  /** A route that waits for the partner. */
  const held = (id: string): string => route(id, "webhook", `to: ${partner.url}`, "setBody: {constant: done}");
  beforeAll(async () => {
    partner = await heldPartner();
    server = await spawnServer({ env: { SERVICE_WORKERS: String(workers), SERVICE_DRAIN_MS: "60s" } });
  });
  afterAll(async () => {
    await server?.end("SIGKILL");
    server?.clean();
    partner?.close();
  });

  it("reports once that it is ready, when all workers are", async () => {
    expect(server.output().match(/"baseUrl"/g)).toHaveLength(1);
    const list = await workersOf(server);
    expect(list).toHaveLength(workers);
    expect(list.filter(({ leads }) => leads)).toHaveLength(1);
    expect(list.map(({ pid }) => pid)).not.toContain(server.pid);
  });

  it("completes a deployment when every worker serves the new version, and all of them process requests", async () => {
    for (const version of ["one", "two", "three"]) {
      const reply = await server.putFlow("greet", replyFlow("greet", version));
      expect(reply.status).toBe(version === "one" ? 201 : 200);
      expect(countReplies(await callMany(30, server.baseUrl, "/api/greet"))).toEqual({ [`200 ${version}`]: 30 });
    }
    await eventually(async () => {
      await callMany(10, server.baseUrl, "/api/greet");
      return (await workersOf(server)).every(({ runs }) => runs > 10);
    });
  });

  it("changes nothing anywhere when a deployment is rejected", async () => {
    await put(server, "steady", replyFlow("steady", "old"));
    for (const wrong of [replyFlow("steady", "new").replace("setBody", "setBdy"), route("greet", "webhook", "setBody: {constant: stolen}"), ": : :"])
      expect((await server.putFlow("steady", wrong)).status).toBeGreaterThanOrEqual(400);
    expect(countReplies(await callMany(60, server.baseUrl, "/api/steady"))).toEqual({ "200 old": 60 });
  });

  it("removes a flow and stops a route in every worker", async () => {
    await put(server, "passing", replyFlow("passing", "here"));
    expect((await server.api("POST", "/routes/passing/stop")).status).toBe(200);
    expect(new Set((await callMany(30, server.baseUrl, "/api/passing")).map(({ status }) => status))).toEqual(new Set([503]));
    await server.api("POST", "/routes/passing/start");
    expect(countReplies(await callMany(30, server.baseUrl, "/api/passing"))).toEqual({ "200 here": 30 });
    expect((await server.api("DELETE", "/flows/passing")).json).toMatchObject({ deleted: true, drained: true });
    expect(new Set((await callMany(30, server.baseUrl, "/api/passing")).map(({ status }) => status))).toEqual(new Set([404]));
  });

  it("shows runs, counts and single runs of the whole service", async () => {
    await put(server, "counted", replyFlow("counted", "n"));
    const replies = await callMany(60, server.baseUrl, "/api/counted");
    const { json: list } = await server.api("GET", "/runs?routeId=counted&limit=100");
    expect(list.total).toBe(60);
    expect(new Set(list.runs.map((run: any) => run.id))).toEqual(new Set(replies.map(({ headers }) => headers["x-run-id"])));
    expect(list.runs.map((run: any) => run.startedAt)).toEqual(
      list.runs
        .map((run: any) => run.startedAt)
        .toSorted()
        .toReversed(),
    );
    expect((await server.api("GET", "/runs?routeId=counted&limit=7")).json.runs).toHaveLength(7);
    for (const { headers } of replies.slice(0, 12))
      expect((await server.api("GET", `/runs/${String(headers["x-run-id"])}`)).json).toMatchObject({
        routeId: "counted",
        status: "completed",
        replayable: true,
      });
    expect((await server.api("GET", "/health")).json.routes.find((candidate: any) => candidate.id === "counted")).toMatchObject({
      total: 60,
      failed: 0,
      inflight: 0,
    });
    const { text } = await server.api("GET", "/metrics");
    expect(text).toContain('sluice_runs_total{flow="counted",route="counted",status="completed"} 60');
    expect(text).toContain(`sluice_workers ${workers}`);
  });

  it("replays a run whichever worker it was in", async () => {
    await put(server, "again", route("again", "webhook", 'setBody: {simple: "got ${body}"}'));
    const replies = await callMany(9, server.baseUrl, "/api/again");
    for (const { body, headers } of replies) {
      const { status, json } = await server.api("POST", `/runs/${String(headers["x-run-id"])}/replay`, {});
      expect([status, json.status, json.body, json.diff.same]).toEqual([200, "completed", body, true]);
    }
    for (const limit of [1, 5, 100]) {
      const { runs, total } = (await server.api("GET", `/runs?routeId=again&limit=${limit}`)).json;
      expect([limit, runs.length, total]).toEqual([limit, Math.min(limit, 18), 18]);
    }
    expect((await server.api("GET", "/runs?routeId=again&limit=100")).json.runs.filter((run: any) => run.replayOf === null)).toHaveLength(9);
    for (const kind of ["live", "replay"]) expect([kind, (await server.api("GET", `/runs?routeId=again&kind=${kind}`)).json.total]).toEqual([kind, 9]);
  });

  it("does not replay a run in progress, whichever worker it is in", async () => {
    await put(server, "held", held("held"));
    const replies = callMany(6, server.baseUrl, "/api/held");
    await waitForRuns(server, "held", 6);
    for (const { id } of (await server.api("GET", "/runs?routeId=held")).json.runs) {
      const { status, json } = await server.api("POST", `/runs/${id}/replay`, {});
      expect([status, json]).toEqual([409, { error: `run '${id}' cannot be replayed: it is still running` }]);
    }
    partner.respond();
    await replies;
  });

  it("streams the events of every worker", async () => {
    await put(server, "seen", route("seen", "webhook", 'log: {message: "saw ${body}", loggingLevel: INFO}'));
    const trace = await follow(server, "/trace/stream?routeId=seen&type=run.completed");
    const log = await follow(server, "/logs/stream?routeId=seen");
    const replies = await callMany(40, server.baseUrl, "/api/seen");
    const ids = new Set(replies.map(({ headers }) => headers["x-run-id"]));
    await eventually(() => trace.events.length >= 40 && log.events.length >= 40);
    expect(new Set(trace.events.map((event) => event.runId))).toEqual(ids);
    expect(new Set(log.events.map((event) => event.message))).toEqual(new Set(Array.from({ length: 40 }, (_, index) => `saw ${index}`)));
    expect(new Set(trace.events.map((event) => event.id)).size).toBe(40);
    trace.close();
    log.close();
  });

  it("detects a disconnected stream client, whichever worker it is connected to", async () => {
    const clients = async (): Promise<number> => (await server.api("GET", "/health")).json.streamClients as number;
    const streams = await Promise.all(Array.from({ length: 6 }, () => follow(server, "/trace/stream")));
    expect(await clients()).toBe(6);
    for (const { close } of streams) close();
    await eventually(async () => (await clients()) === 0);
  });

  it("forwards complete bodies, and rejects those that are too large or not accepted", async () => {
    const authorization = `Bearer ${token}`;
    const text = replyFlow("long", "x".repeat(200_000));
    const checked = await Promise.all(
      Array.from({ length: 6 }, () => callOnNewConnection(server.baseUrl, "/_api/flows/validate", text, { authorization, "content-type": "application/yaml" })),
    );
    expect(new Set(checked.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set(['200 {"valid":true,"problems":[]}']));
    const large = "x".repeat(11 * 1024 * 1024);
    for (let turn = 0; turn < 4; turn++) {
      const { status } = await callOnNewConnection(server.baseUrl, "/_api/flows/validate", large, { authorization, "content-type": "application/yaml" });
      expect(status).toBe(413);
      expect((await callOnNewConnection(server.baseUrl, "/_api/flows", "", {}, "GET")).status).toBe(401);
    }
    const expecting = { authorization, "content-type": "application/yaml", expect: "100-continue", "content-length": String(text.length) };
    for (let turn = 0; turn < 4; turn++) expect((await callOnNewConnection(server.baseUrl, "/_api/flows/validate", text, expecting)).status).toBe(200);
  });

  it("mocks in every worker while a session of the whole deployment is open", async () => {
    await put(server, "mocked", route("mocked", "webhook", "to: {id: out, uri: 'mock:out'}", "setBody: {simple: '${body}'}"));
    const { json: opened } = await server.api("POST", "/test/session", { mocks: [{ id: "m", match: { stepId: "out" }, respond: { body: "mock" } }] });
    expect(countReplies(await callMany(30, server.baseUrl, "/api/mocked"))).toEqual({ "200 mock": 30 });
    const { json: closed } = await server.api("DELETE", `/test/session/${opened.sessionId}`);
    expect(closed.callCount).toBe(30);
    expect(Object.keys(countReplies(await callMany(30, server.baseUrl, "/api/mocked")))).not.toContain("200 mock");
    const { json: isolated } = await server.api("POST", "/test/session", {
      scope: "session",
      mocks: [{ id: "m", match: { stepId: "out" }, respond: { body: "mine" } }],
    });
    expect(countReplies(await callMany(12, server.baseUrl, "/api/mocked", { "x-test-session": isolated.sessionId }))).toEqual({ "200 mine": 12 });
    expect((await server.api("DELETE", `/test/session/${isolated.sessionId}`)).json.callCount).toBe(12);
  });

  it("keeps the state between messages in one worker", async () => {
    await put(
      server,
      "together",
      route(
        "together",
        "webhook",
        'aggregate: {correlationExpression: {constant: all}, completionSize: 20, aggregationStrategy: GroupedBodyAggregationStrategy, steps: [{log: "a group of ${body.size()}"}]}',
      ) + route("once", "webhook?idempotency=true", "delay: {constant: 20}", 'setBody: {simple: "${random(1000000000)}"}'),
    );
    await callMany(40, server.baseUrl, "/api/together");
    const keyed = await Promise.all(Array.from({ length: 5 }, () => callOnNewConnection(server.baseUrl, "/api/once", "same", { "idempotency-key": "k1" })));
    expect(keyed.filter(({ status }) => status === 200).length + keyed.filter(({ status }) => status === 409).length).toBe(5);
    const first = (await callMany(1, server.baseUrl, "/api/once", { "idempotency-key": "k2" }))[0] as Reply;
    expect(
      countReplies(await Promise.all(Array.from({ length: 9 }, () => callOnNewConnection(server.baseUrl, "/api/once", "0", { "idempotency-key": "k2" })))),
    ).toEqual({
      [`200 ${first.body}`]: 9,
    });
    await eventually(() => server.output().match(/"a group of 20"/g)?.length === 2);
    expect(server.output()).not.toMatch(/"a group of (?!20")/);
  });

  it("counts rate limits and checks credentials for the service as a whole", async () => {
    await put(server, "guarded", replyFlow("guarded", "in"));
    const key = { "x-api-key": "s3cr3t-key" };
    const authenticate = [{ type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "shop", key: "s3cr3t-key" }] }];
    expect((await server.api("PUT", "/auth/guarded", { authenticate, default: "allow" })).status).toBe(201);
    expect(countReplies(await callMany(30, server.baseUrl, "/api/guarded", key))).toEqual({ "200 in": 30 });
    expect(countReplies(await callMany(6, server.baseUrl, "/api/guarded"))).toEqual({ '401 {"error":"unauthorized"}': 6 });
    await server.api("PUT", "/auth/guarded", { authenticate, default: "allow", rateLimit: { limit: 10, windowSec: 60, by: "principal" } });
    const limited = countReplies(await callMany(30, server.baseUrl, "/api/guarded", key));
    expect(limited).toEqual({ "200 in": 10, '429 {"error":"rate limit exceeded"}': 20 });
  });

  it("accepts a signature with a timestamp once across all workers", async () => {
    await put(server, "stamped", replyFlow("stamped", "in"));
    const policy = { authenticate: [{ type: "hmac", preset: "stripe", secrets: ["whsec_stamped"] }], default: "allow" };
    expect((await server.api("PUT", "/auth/stamped", policy)).status).toBe(201);
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac("sha256", "whsec_stamped").update(`${time}.x`).digest("hex");
    const replies = await Promise.all(
      Array.from({ length: 24 }, () => callOnNewConnection(server.baseUrl, "/api/stamped", "x", { "stripe-signature": `t=${time},v1=${signature}` })),
    );
    expect(countReplies(replies)).toEqual({ "200 in": 1, '401 {"error":"unauthorized"}': 23 });
  });

  it("checks a client by its own address in every worker, and hides the internal header from routes", async () => {
    await put(server, "near", route("near", "webhook?idempotency=true", "setBody: {simple: '${headers}'}"));
    expect((await server.api("PUT", "/auth/near", { ip: { allow: ["127.0.0.1"] }, rules: [{ routes: ["*"], public: true }] })).status).toBe(201);
    const replies = await callMany(24, server.baseUrl, "/api/near");
    expect(replies.map(({ status }) => status)).toEqual(Array(24).fill(200));
    for (const { body } of replies) expect(body.toLowerCase()).not.toContain("x-sluice-peer");
    // A client that claims another address in that header is not trusted.
    const claimed = await callMany(12, server.baseUrl, "/api/near", { "X-Sluice-Peer": "10.0.0.1" });
    expect(claimed.map(({ status }) => status)).toEqual(Array(12).fill(200));
  });

  it("looks up values in the latest table in every worker", async () => {
    for (const unit of ["ST", "PCE"]) {
      await server.api("PUT", "/value-mappings/uom", { entries: { piece: unit } });
      if (unit === "ST") await put(server, "units", route("units", "webhook", 'setBody: {simple: "${valueMapping(uom,from,to,piece)}"}'));
      expect(countReplies(await callMany(40, server.baseUrl, "/api/units"))).toEqual({ [`200 ${unit}`]: 40 });
    }
  });

  it("runs a timer once, not once per worker", async () => {
    for (const id of ["ticking", "later"]) {
      await put(server, id, route(id, "timer:tick?delay=0&period=20&repeatCount=10", 'to: "mock:tick"'));
      await eventually(async () => (await server.api("GET", `/runs?routeId=${id}&limit=100`)).json.total >= 10);
    }
    // In the time of the later timer, each worker would have run the first one.
    expect((await server.api("GET", "/runs?routeId=ticking&limit=100")).json.total).toBe(10);
    expect((await server.api("GET", "/health")).json.routes.find((candidate: any) => candidate.id === "ticking")).toMatchObject({ total: 10 });
  });

  it("loses no message of a durable queue", async () => {
    await put(
      server,
      "queued",
      route("intake", "webhook", 'to: "queue:orders"', "setBody: {constant: kept}") + route("work", "queue:orders", 'to: "mock:done"'),
    );
    expect(countReplies(await callMany(60, server.baseUrl, "/api/intake"))).toEqual({ "200 kept": 60 });
    await eventually(async () => (await server.api("GET", "/runs?routeId=work&limit=100")).json.total === 60);
    const bodies = (await server.api("GET", "/runs?routeId=work&limit=100")).json.runs.map((run: any) => run.request.preview);
    expect(new Set(bodies).size).toBe(60);
  });

  it("replaces flows under load without a failed call", async () => {
    await put(server, "busy", replyFlow("busy", "v0"));
    const load = startLoad(`${server.baseUrl}/api/busy`, { connections: 12 });
    for (let version = 1; version <= 6; version++) {
      const { length } = load.replies;
      expect((await server.putFlow("busy", replyFlow("busy", `v${version}`))).status).toBe(200);
      const [sample] = await callMany(1, server.baseUrl, "/api/busy");
      expect(sample?.body).toBe(`v${version}`);
      await eventually(() => load.replies.length > length + 24);
    }
    await load.stop();
    expect(load.connectionErrors).toEqual([]);
    expect(load.replies.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it("continues when a worker is killed, replaces it, and accounts for its runs in flight", async () => {
    await put(server, "slow", held("slow"));
    await put(server, "quick", replyFlow("quick", "q"));
    const calls = await heldCalls(server, { path: "/api/slow", partner, isIn: ({ leads }) => !leads });
    const { worker: killedWorker, inWorker: lostCalls } = calls;
    await waitForReports(server);
    const load = startLoad(`${server.baseUrl}/api/quick`, { connections: 6 });
    await eventually(() => load.replies.length > 50);
    process.kill(killedWorker.pid, "SIGKILL");
    await eventually(() => partner.waiting() === calls.total - lostCalls);
    await eventually(async () => (await workersOf(server)).length === workers);
    partner.respond();
    expect((await calls.statuses()).toSorted((a, b) => a - b)).toEqual(expectedStatuses(calls));
    await load.stop();
    // Only requests on the killed worker's connections fail.
    expect(load.connectionErrors.length).toBeLessThanOrEqual(6);
    expect(load.replies.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await workersOf(server)).map(({ pid }) => pid)).not.toContain(killedWorker.pid);
    const lost = (await server.api("GET", "/runs?routeId=slow&status=failed&limit=100")).json;
    expect(lost.total).toBe(lostCalls);
    expect(lost.runs[0].error).toMatchObject({ type: "WorkerExited" });
    expect(lost.runs[0].error.message).toContain(`worker process ${killedWorker.pid} exited (SIGKILL)`);
    expect(server.output()).toContain(`lost runs: ${lostCalls}`);
    expect(countReplies(await callMany(60, server.baseUrl, "/api/quick"))).toEqual({ "200 q": 60 });
  });

  it("starts a new leader when the leader is killed", async () => {
    await put(server, "quick", replyFlow("quick", "q"));
    await put(server, "slow", held("slow"));
    const calls = await heldCalls(server, { path: "/api/slow", partner, isIn: ({ leads }) => leads });
    const { worker: leader, inWorker: lostCalls } = calls;
    await waitForReports(server);
    process.kill(leader.pid, "SIGKILL");
    const { status } = await callOnNewConnection(server.baseUrl, "/_api/flows", "", { authorization: `Bearer ${token}` }, "GET").catch(() => ({ status: 0 }));
    expect([0, 200, 503]).toContain(status);
    await eventually(async () => (await workersOf(server).catch(() => [])).length === workers);
    expect((await workersOf(server)).find(({ leads }) => leads)?.pid).not.toBe(leader.pid);
    expect((await server.putFlow("quick", replyFlow("quick", "after"))).status).toBe(200);
    expect(countReplies(await callMany(60, server.baseUrl, "/api/quick"))).toEqual({ "200 after": 60 });
    expect((await server.api("GET", "/health")).json.status).toBe("UP");
    partner.respond();
    expect((await calls.statuses()).toSorted((a, b) => a - b)).toEqual(expectedStatuses(calls));
    // The leader's history is lost; its runs in flight are not.
    const { json: lost } = await server.api("GET", "/runs?routeId=slow&status=failed&limit=100");
    expect(lost.runs.filter(({ error }: any) => error.message.includes(String(leader.pid)))).toHaveLength(lostCalls);
  });

  it("prevents a second service from using the same data", async () => {
    await expect(spawnServer({ env: { SERVICE_WORKERS: "2" }, dataDir: server.dataDir })).rejects.toThrow("in use by process");
    await put(server, "still", replyFlow("still", "here"));
    expect(countReplies(await callMany(10, server.baseUrl, "/api/still"))).toEqual({ "200 here": 10 });
  });

  it("finishes runs in flight in every worker when it stops, and exits with 0", async () => {
    await put(server, "slow", held("slow"));
    const children = childrenOf(server.pid);
    const pending = callMany(9, server.baseUrl, "/api/slow");
    await eventually(() => partner.waiting() === 9);
    const ended = server.end();
    await waitUntilStopping(server);
    partner.respond();
    expect(countReplies(await pending)).toEqual({ "200 done": 9 });
    expect(await ended).toBe(0);
    expect(children).toHaveLength(workers);
    expect(children.filter(isAlive)).toEqual([]);
  });
});

describe("two workers", () => {
  const env = { SERVICE_WORKERS: "2", SERVICE_DRAIN_MS: "300ms" };

  it("end when the supervisor is killed, restart with the same data, and report abandoned runs when they are stopped", async () => {
    const server = await spawnServer({ env });
    await put(server, "kept", replyFlow("kept", "still"));
    const children = childrenOf(server.pid);
    await server.end("SIGKILL");
    await eventually(() => !children.some(isAlive));
    const next = await spawnServer({ env, dataDir: server.dataDir });
    expect(countReplies(await callMany(10, next.baseUrl, "/api/kept"))).toEqual({ "200 still": 10 });
    const sockets = (): readonly string[] => readdirSync(next.dataDir).filter((name) => name.startsWith(".workers-"));
    expect(sockets()).toHaveLength(1);
    const partner = await heldPartner();
    await put(next, "stuck", route("stuck", "webhook", `to: ${partner.url}`));
    const pending = statusesOf(4, next.baseUrl, "/api/stuck");
    await eventually(() => partner.waiting() === 4);
    // The exit code and the log report the runs.
    expect(await next.end()).toBe(1);
    await expect.poll(() => next.output()).toContain("Abandoned");
    await pending;
    partner.close();
    expect(sockets()).toEqual([]);
    next.clean();
  });
});

const childrenOf = (pid: number): readonly number[] => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

/** Waits until the service no longer accepts requests. */
const waitUntilStopping = (server: SpawnedServer): Promise<void> =>
  eventually(async () => {
    const reply = await callOnNewConnection(server.baseUrl, "/_api/health?probe=ready", "", {}, "GET").catch(() => undefined);
    return reply?.status !== 200;
  });
