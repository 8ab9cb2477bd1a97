import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { driverPath, loadDriver } from "../packages/server/src/store/sqlite.ts";
import { heldPartner, type HeldPartner } from "./held-partner.ts";
import { spawnServer } from "./spawned-server.ts";
import { call, eventually, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let dataDir: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
  server = await startTestServer({ dataDir });
});

afterEach(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A flow that fails, unless `works` is true. */
const failing = (works = false): string => `- errorHandler:
    deadLetterChannel: sluice:dead-letters
- route:
    id: orders
    from:
      uri: webhook
      steps:
        - setProperty: {name: tenant, constant: acme}
        - setHeader: {name: X-Stage, constant: changed}
        - setBody: {simple: "changed \${body}"}
        ${works ? '- setBody: {simple: "${body} well"}' : '- throwException: {exceptionType: java.lang.IllegalStateException, message: "no stock for ${body}"}'}
`;

const post = (body: string, headers: Readonly<Record<string, string>> = {}) => call(server.baseUrl, "POST", "/api/orders", body, headers);
const listDeadLetters = async (query = "") => (await server.api("GET", `/dead-letters${query}`)).json;

describe("dead letters", () => {
  it("one line of YAML stores the message and its failure; the caller gets a successful reply", async () => {
    await server.putFlow("shop", failing());
    expect((await post("A-1", { "X-Src": "web", Authorization: "Bearer abcdef" })).status).toBe(200);
    const { deadLetters, total } = await listDeadLetters();
    expect(total).toBe(1);
    const [run] = (await server.api("GET", "/runs?routeId=orders")).json.runs;
    expect(deadLetters[0]).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      at: expect.stringMatching(/Z$/),
      routeId: "orders",
      flowId: "shop",
      flowHash: run.flowHash,
      runId: run.id,
      source: "sluice:dead-letters",
      attempts: 1,
      replayedAt: null,
      error: { type: "java.lang.IllegalStateException", message: "no stock for changed A-1", stepId: "throwException1", routeId: "orders" },
      size: expect.any(Number),
    });
    const deadLetter = (await server.api("GET", `/dead-letters/${deadLetters[0].id}`)).json;
    expect(deadLetter.message).toMatchObject({
      body: "changed A-1",
      bodyType: "text",
      headers: { "X-Stage": "changed", "X-Src": "web", Authorization: "***" },
      properties: { tenant: "acme" },
    });
    expect(deadLetter.input).toMatchObject({ body: "A-1", bodyType: "bytes", headers: { "X-Src": "web" } });
    expect(deadLetter.input.headers["X-Stage"]).toBeUndefined();
  });

  it("replays the message as it entered; success removes the dead letter", async () => {
    await server.putFlow("shop", failing());
    await post("A-1");
    const [{ id }] = (await listDeadLetters()).deadLetters;
    await server.putFlow("shop", failing(true));
    const reply = await server.api("POST", `/dead-letters/${id}/replay`);
    expect([reply.status, reply.json]).toMatchObject([200, { id, status: "completed", replayed: true, error: null }]);
    const [run] = (await server.api("GET", "/runs?routeId=orders")).json.runs;
    expect(run).toMatchObject({ id: reply.json.runId, status: "completed", trigger: { uri: "sluice:dead-letters" } });
    expect(run.request.preview).toBe("A-1");
    expect((await listDeadLetters()).total).toBe(0);
    expect((await server.api("POST", `/dead-letters/${id}/replay`)).json).toEqual({ error: `dead letter '${id}' not found` });
  });

  it("a failed replay keeps the dead letter and increments its attempts", async () => {
    await server.putFlow("shop", failing());
    await post("A-1");
    const [{ id }] = (await listDeadLetters()).deadLetters;
    for (const attempts of [2, 3]) {
      const reply = (await server.api("POST", `/dead-letters/${id}/replay`)).json;
      expect(reply).toMatchObject({ replayed: false, error: { type: "java.lang.IllegalStateException", stepId: "throwException1" } });
      const { deadLetters, total } = await listDeadLetters();
      expect([total, deadLetters[0].id, deadLetters[0].attempts, deadLetters[0].runId]).toEqual([1, id, attempts, reply.runId]);
      expect(deadLetters[0].replayedAt).not.toBeNull();
    }
  });

  it("a dead letter whose route was removed is kept and reported", async () => {
    await server.putFlow("shop", failing());
    await post("A-1");
    const [{ id }] = (await listDeadLetters()).deadLetters;
    await server.api("DELETE", "/flows/shop");
    const reply = await server.api("POST", `/dead-letters/${id}/replay`);
    expect([reply.status, reply.json]).toEqual([409, { error: `dead letter '${id}' cannot be replayed: route 'orders' is not deployed` }]);
    expect((await listDeadLetters()).total).toBe(1);
  });

  it("replays in bulk and reports counts; dead letters whose replay fails stay", async () => {
    await server.putFlow("shop", failing());
    for (let number = 0; number < 12; number++) await post(`A-${number}`);
    await server.putFlow(
      "shop",
      failing(true).replace(
        '- setBody: {simple: "${body} well"}',
        "- filter: {simple: \"${body} contains 'A-2'\", steps: [{throwException: {exceptionType: java.lang.Exception, message: still}}]}",
      ),
    );
    const reply = await server.api("POST", "/dead-letters/replay", { routeId: "orders" });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ status: "completed", total: 12, replayed: 11, failed: 1, skipped: 0 });
    expect((await server.api("GET", `/dead-letters/replays/${reply.json.id}`)).json).toEqual(reply.json);
    expect((await listDeadLetters()).total).toBe(1);
    expect((await server.api("POST", "/dead-letters/replay", {})).json).toEqual({ error: "routeId or flowId is required" });
  });

  /** Number of replays at a time. */
  const concurrency = 4;

  /** Dead letters whose replays wait for the partner. */
  async function heldDeadLetters(target: Pick<StartedServer, "baseUrl" | "putFlow">, count: number): Promise<HeldPartner> {
    const partner = await heldPartner();
    await target.putFlow("shop", failing());
    await Promise.all(Array.from({ length: count }, (_, number) => call(target.baseUrl, "POST", "/api/orders", `A-${number}`)));
    await target.putFlow("shop", failing(true).replace('- setBody: {simple: "${body} well"}', `- to: "${partner.url}"`));
    return partner;
  }

  it("a long bulk replay reports its progress, and can be cancelled", async () => {
    const partner = await heldDeadLetters(server, 12);
    const started = await server.api("POST", "/dead-letters/replay", { routeId: "orders" });
    expect([started.status, started.json]).toMatchObject([202, { status: "running", total: 12, replayed: 0, failed: 0, skipped: 0 }]);
    const path = `/dead-letters/replays/${started.json.id}`;
    await eventually(() => partner.waiting() === concurrency);
    partner.respond();
    await eventually(async () => (await server.api("GET", path)).json.replayed === concurrency && partner.waiting() === concurrency);
    // While the cancellation waits for replays in flight, readers must not get the counts as final.
    const cancelling = server.api("DELETE", path);
    for (let reads = 0; reads < 5; reads++) expect((await server.api("GET", path)).json.status).toBe("running");
    partner.respond();
    const cancelled = await cancelling;
    const replayed = 2 * concurrency;
    expect(cancelled.json).toMatchObject({ id: started.json.id, status: "cancelled", total: 12, replayed, failed: 0, skipped: 0 });
    expect((await listDeadLetters()).total).toBe(12 - replayed);
    expect([partner.waiting(), (await server.api("GET", path)).json]).toEqual([0, cancelled.json]);
    expect((await server.api("DELETE", path)).json.status).toBe("cancelled");
    expect((await server.api("DELETE", "/dead-letters/replays/replay_x")).json).toEqual({ error: "replay 'replay_x' not found" });
    partner.close();
  });

  it("a bulk replay stops with the runtime: running replays finish, and the remaining dead letters stay", async () => {
    const partner = await heldDeadLetters(server, 12);
    expect((await server.api("POST", "/dead-letters/replay", { routeId: "orders" })).status).toBe(202);
    await eventually(() => partner.waiting() === concurrency);
    const stopping = server.stop();
    await eventually(() => server.logText().includes('"Shutting down"'));
    partner.respond();
    expect((await stopping).drained).toBe(true);
    server = await startTestServer({ dataDir });
    expect((await listDeadLetters()).total).toBe(12 - concurrency);
    partner.close();
  });

  it("lists by route, flow, time and text, newest first", async () => {
    await server.putFlow("shop", failing());
    await server.putFlow("other", failing().replace("id: orders", "id: returns"));
    for (const body of ["Größe 1", "b", "c"]) await post(body);
    await call(server.baseUrl, "POST", "/api/returns", "d");
    const all = (await listDeadLetters()).deadLetters;
    expect(all.map((deadLetter: { error: { message: string } }) => deadLetter.error.message.at(-1))).toEqual(["d", "c", "b", "1"]);
    expect((await listDeadLetters("?routeId=returns")).total).toBe(1);
    expect((await listDeadLetters("?flowId=shop")).total).toBe(3);
    expect((await listDeadLetters("?text=GRÖSSE%201")).total + (await listDeadLetters("?text=gr%C3%B6%C3%9Fe%201")).total).toBe(1);
    expect((await listDeadLetters("?limit=2")).deadLetters).toHaveLength(2);
    expect((await listDeadLetters(`?until=${encodeURIComponent(all[2].at)}&since=${encodeURIComponent(all[3].at)}`)).total).toBeGreaterThanOrEqual(2);
    expect((await listDeadLetters("?since=2999-01-01T00:00:00Z")).total).toBe(0);
    expect((await server.api("GET", "/dead-letters?since=yesterday")).json).toEqual({ error: "since must be a time such as 2026-11-14T16:02:33.120Z" });
    expect((await server.api("GET", "/dead-letters?limit=0")).status).toBe(400);
  });

  it("deletes one, or those that match a filter, and never all without a filter", async () => {
    await server.putFlow("shop", failing());
    for (const body of ["a", "b", "c"]) await post(body);
    const [{ id }] = (await listDeadLetters()).deadLetters;
    expect((await server.api("DELETE", `/dead-letters/${id}`)).json).toEqual({ id, deleted: true });
    expect((await server.api("DELETE", `/dead-letters/${id}`)).status).toBe(404);
    expect((await server.api("DELETE", "/dead-letters")).status).toBe(400);
    expect((await server.api("DELETE", "/dead-letters?routeId=unknown")).json).toEqual({ deleted: 0 });
    expect((await server.api("DELETE", "/dead-letters?routeId=orders")).json).toEqual({ deleted: 2 });
    expect((await listDeadLetters()).total).toBe(0);
  });

  it("a dead letter of a test session is replayed inside that session only, and never after it has ended", async () => {
    const queued = `- route: {id: waiting, from: {uri: "queue:tested?maximumRedeliveries=0", steps: [{to: {id: far, uri: "mock:far"}}, {throwException: {exceptionType: java.io.IOException, message: down}}]}}\n`;
    await server.putFlow("shop", failing());
    expect(
      (await server.putFlow("queued", `${queued}- route: {id: sending, from: {uri: "direct:sending", steps: [{to: "queue:tested"}]}}\n`)).json.error,
    ).toBeUndefined();
    const { sessionId } = (await server.api("POST", "/test/session", { scope: "session", mocks: [{ id: "far", match: { stepId: "far" }, respond: {} }] })).json;
    await post("for real");
    await post("a test", { "x-test-session": sessionId });
    await server.api("POST", "/test/invoke", { sessionId, trigger: "direct:sending", body: "a test" });
    await eventually(async () => (await listDeadLetters()).total === 3);
    const all = (await listDeadLetters()).deadLetters as { id: string; routeId: string }[];
    const [waiting, tested] = [all.find(({ routeId }) => routeId === "waiting"), all.find(({ routeId }) => routeId === "orders")];
    for (const deadLetter of [waiting, tested]) {
      const { runId } = (await server.api("POST", `/dead-letters/${deadLetter?.id}/replay`)).json;
      expect((await server.api("GET", `/runs/${runId}`)).json.sessionId).toBe(sessionId);
    }
    expect((await server.api("DELETE", `/test/session/${sessionId}`)).json.callCount).toBe(2);
    const refused = await server.api("POST", `/dead-letters/${waiting?.id}/replay`);
    expect([refused.status, refused.json.error]).toEqual([409, expect.stringContaining(`it belongs to test session '${sessionId}', which is closed`)]);
    await server.putFlow("shop", failing(true));
    expect((await server.api("POST", "/dead-letters/replay", { routeId: "orders" })).json).toMatchObject({ total: 2, replayed: 1, failed: 0, skipped: 1 });
    expect((await listDeadLetters("?routeId=orders")).deadLetters.map(({ id }: { id: string }) => id)).toEqual([tested?.id]);
  });

  it("an empty search string, or one truncated at a NUL, never matches everything", async () => {
    await server.putFlow("shop", failing());
    for (const body of ["a", "b"]) await post(body);
    const [{ id }] = (await listDeadLetters()).deadLetters;
    for (const [method, path, body] of [
      ["GET", "/dead-letters?text="],
      ["DELETE", "/dead-letters?text="],
      ["DELETE", "/dead-letters?routeId=orders&text="],
      ["POST", "/dead-letters/replay", { routeId: "orders", text: "" }],
    ] as const) {
      const reply = await server.api(method, path, body);
      expect([path, reply.status, reply.json]).toEqual([path, 400, { error: "text must not be empty" }]);
    }
    for (const query of ["text=%00", "text=a%00b", "routeId=orders%00x", "flowId=shop%00"]) {
      expect([query, (await listDeadLetters(`?${query}`)).total]).toEqual([query, 0]);
      expect([query, (await server.api("DELETE", `/dead-letters?${query}`)).json]).toEqual([query, { deleted: 0 }]);
    }
    for (const [method, path] of [
      ["GET", `/dead-letters/${id}%00`],
      ["DELETE", `/dead-letters/${id}%00x`],
      ["POST", `/dead-letters/${id}%00/replay`],
    ] as const)
      expect([path, (await server.api(method, path)).status]).toEqual([path, 404]);
    expect((await listDeadLetters()).total).toBe(2);
  });

  it("keeps the newest, even if it alone exceeds the limit", async () => {
    await server.stop();
    server = await startTestServer({ dataDir, env: { SERVICE_DEAD_LETTER_BYTES: "8k" } });
    await server.putFlow("shop", failing());
    for (const body of ["small", "x".repeat(20_000)]) await post(body);
    await eventually(async () => (await listDeadLetters()).total === 1);
    const size = async (): Promise<number> => (await listDeadLetters()).deadLetters[0].size;
    expect(await size()).toBeGreaterThan(20_000);
    await post("small again");
    await eventually(async () => (await listDeadLetters()).total === 1 && (await size()) < 8_192);
  });

  it("drops the oldest over the limit and logs it", async () => {
    await server.stop();
    server = await startTestServer({ dataDir, env: { SERVICE_DEAD_LETTERS: "5" } });
    await server.putFlow("shop", failing());
    for (let number = 0; number < 8; number++) await post(`A-${number}`);
    await eventually(async () => (await listDeadLetters()).total === 5);
    expect((await listDeadLetters()).deadLetters.map((deadLetter: { error: { message: string } }) => deadLetter.error.message.at(-1))).toEqual([
      "7",
      "6",
      "5",
      "4",
      "3",
    ]);
    // The log is written after the dead letters are deleted.
    await eventually(() => server.logText().includes("Removed the oldest dead letters ("));
  });

  it("replies with an empty list, 404 and 0 when there are no dead letters", async () => {
    expect(await listDeadLetters()).toEqual({ deadLetters: [], total: 0 });
    expect((await server.api("GET", "/dead-letters/01J")).json).toEqual({ error: "dead letter '01J' not found" });
    expect((await server.api("DELETE", "/dead-letters?routeId=x")).json).toEqual({ deleted: 0 });
    expect((await server.api("POST", "/dead-letters/replay", { routeId: "x" })).json).toMatchObject({ total: 0, status: "completed" });
  });

  it("a damaged dead letter does not hide others, shows its readable parts, and is not replayed", async () => {
    await server.putFlow("shop", failing());
    for (const body of ["whole", "no-envelope", "no-failure", "no-kind", "no-time"]) await post(body);
    await server.stop();
    const { DatabaseSync } = loadDriver(driverPath());
    const database = new DatabaseSync(join(dataDir, "store", "durable.sqlite"));
    const damage = (body: string, change: string): void => database.exec(`UPDATE dead_letter SET ${change} WHERE instr(search, 'changed ${body}') > 0`);
    damage("no-envelope", "envelope = '{', input_envelope = 'null'");
    damage("no-failure", "failure = 'nothing'");
    damage("no-kind", "kind = 'other', input_kind = 'other'");
    damage("no-time", "at = 9e15");
    database.close();
    server = await startTestServer({ dataDir });
    const { deadLetters, total } = (await listDeadLetters()) as { deadLetters: { id: string; at: string; error: { message: string } }[]; total: number };
    expect([total, deadLetters.map(({ error }) => error.message).sort()]).toEqual([
      5,
      [
        "no stock for changed no-envelope",
        "no stock for changed no-kind",
        "no stock for changed no-time",
        "no stock for changed whole",
        "the stored failure is damaged and cannot be read",
      ],
    ]);
    for (const { id, error } of deadLetters) {
      const shown = await server.api("GET", `/dead-letters/${id}`);
      expect([shown.status, String(shown.json.message.body)]).toEqual([200, expect.stringMatching(/^changed (whole|no-\w+)$/)]);
      const replay = await server.api("POST", `/dead-letters/${id}/replay`);
      if (!/no-(envelope|kind)$/.test(error.message)) expect(replay.status).toBe(200);
      else
        expect([replay.status, replay.json.error]).toEqual([409, `dead letter '${id}' cannot be replayed: the message on disk is damaged and cannot be read`]);
    }
    expect((await server.api("POST", "/dead-letters/replay", { routeId: "orders" })).json).toMatchObject({ total: 5, failed: 3, skipped: 2 });
  });

  it("rejects other names under sluice:", async () => {
    const reply = await server.putFlow("shop", failing().replace("sluice:dead-letters", "sluice:dead-leters"));
    expect([reply.status, reply.json.error]).toEqual([422, expect.stringContaining("unknown endpoint 'sluice:dead-leters'")]);
  });

  it("survives kill -9 once the caller has the reply", async () => {
    let spawned = await spawnServer();
    await spawned.putFlow("shop", failing());
    expect((await call(spawned.baseUrl, "POST", "/api/orders", "A-1")).status).toBe(200);
    await spawned.end("SIGKILL");
    spawned = await spawnServer({ dataDir: spawned.dataDir });
    expect((await spawned.api("GET", "/dead-letters")).json.total).toBe(1);
    await eventually(() => spawned.output().includes("its integrity check passed"));
    expect(await spawned.end()).toBe(0);
    spawned.clean();
  });
});
