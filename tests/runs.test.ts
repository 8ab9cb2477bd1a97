// The run history and the health report through the API.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, directFlow, eventually, replyFlow, startTestServer, type StartedServer } from "./started-server.ts";
import { stubPartner } from "./stub-partner.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer({ env: { SERVICE_RUN_HISTORY: "5", SERVICE_RUN_HISTORY_TOTAL: "60" } });
  await server.putFlow("web", replyFlow("web", "answer"));
  await server.putFlow("quiet", replyFlow("quiet", "x"));
  await server.putFlow(
    "chain",
    directFlow("inner", "throwException: {id: bang, exceptionType: java.lang.IllegalStateException, message: 'no http://u:S3CR3T@h/?password=S3CR3T here'}") +
      "- route:\n    id: outer\n    from:\n      uri: webhook\n      steps:\n        - to: {id: go, uri: 'direct:inner'}\n",
  );
});
afterAll(() => server.end());

const runs = async (query: string): Promise<any> => (await server.api("GET", `/runs?${query}`)).json;
const fire = (routeId: string, body = "x", headers: Readonly<Record<string, string>> = {}): ReturnType<typeof call> =>
  call(server.baseUrl, "POST", `/api/${routeId}`, body, headers);

describe("runs", () => {
  it("a run record contains status, times, steps, request and reply", async () => {
    await fire("web", '{"id":"A"}', { "content-type": "application/json" });
    const { runs: list, total } = await runs("routeId=web");
    expect(total).toBe(1);
    expect(list[0]).toEqual({
      id: expect.stringMatching(/^run_[0-9A-Z]{26}$/),
      routeId: "web",
      flowId: "web",
      flowHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      status: "completed",
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      endedAt: expect.stringMatching(/Z$/),
      durationMs: expect.any(Number),
      trigger: { uri: "webhook", method: "POST", path: "/api/web" },
      exchangeId: expect.any(String),
      correlationId: list[0].id,
      parentRunId: null,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      redeliveries: 0,
      handled: false,
      steps: [
        { stepId: "setBody1", kind: "setBody", startedAt: expect.stringMatching(/Z$/), durationMs: expect.any(Number), status: "completed", attempts: 1 },
      ],
      error: null,
      request: { contentType: "application/json", size: 10, preview: '{"id":"A"}' },
      reply: { status: 200, size: 6 },
      sessionId: null,
      replayOf: null,
      kind: "live",
    });
    expect((await server.api("GET", `/runs/${list[0].id}`)).json).toEqual({ ...list[0], replayable: true });
    expect(Math.abs(Date.parse(list[0].startedAt) - Date.parse(list[0].steps[0].startedAt))).toBeLessThan(60_000);
  });

  it("direct calls are child runs; a failure names its step and hides secrets", async () => {
    await fire("outer");
    const outer = (await runs("routeId=outer")).runs[0];
    const inner = (await runs("routeId=inner")).runs[0];
    expect([inner.parentRunId, inner.status, inner.error.stepId]).toEqual([outer.id, "failed", "bang"]);
    expect(outer).toMatchObject({ status: "failed", reply: { status: 500 }, steps: [{ stepId: "go", status: "failed" }] });
    expect(inner.error).toMatchObject({ type: "java.lang.IllegalStateException" });
    expect(JSON.stringify([outer, inner])).not.toContain("S3CR3T");
  });

  it("the newest are kept per route, and routes do not evict each other's runs", async () => {
    await fire("quiet", "first");
    for (let index = 0; index < 8; index++) await fire("web", `n${index}`);
    const { runs: list, total } = await runs("routeId=web");
    expect([total, list.map((run: any) => run.request.preview)]).toEqual([5, ["n7", "n6", "n5", "n4", "n3"]]);
    expect((await runs("routeId=quiet")).total).toBe(1);
  });

  it("limit and filters select runs, and invalid values are rejected", async () => {
    expect((await runs("routeId=web&limit=3")).runs.length).toBe(3);
    expect((await runs("routeId=web&limit=1000000000")).runs.length).toBe(5);
    for (const limit of ["-1", "0", "1.5", "abc", "9007199254740993", "1e9", ""]) {
      const reply = await server.api("GET", `/runs?limit=${limit}`);
      expect([limit, reply.status, reply.json]).toEqual([limit, 400, { error: "limit must be an integer of 1 or more" }]);
    }
    expect((await server.api("GET", "/runs?routeId=a&routeId=b")).json).toEqual({ error: "routeId must not be repeated" });
    expect(await runs("routeId=nowhere")).toEqual({ runs: [], total: 0 });
    const all = (await runs("limit=100")).runs.map((run: any) => Date.parse(run.startedAt));
    expect(all).toEqual(all.toSorted((a: number, b: number) => b - a));
    expect((await runs("flowId=chain&status=failed")).total).toBe(2);
    expect((await runs(`since=${new Date(Date.now() + 60_000).toISOString()}`)).total).toBe(0);
    expect((await server.api("GET", "/runs?since=yesterday")).status).toBe(400);
    expect((await server.api("GET", "/runs/run_x")).json).toEqual({ error: "run 'run_x' not found" });
  });

  it("text and cursor: pages with every match once; without them the reply has only runs and total", async () => {
    const found = await runs("text=web&limit=2");
    expect(found.runs.length).toBe(2);
    expect(found).toMatchObject({ complete: false, searchedBack: found.runs[1].startedAt, next: expect.stringMatching(/^\d+-run_/) });
    const seen: string[] = [];
    for (let cursor: string | null = "newest"; cursor !== null;) {
      const page: any = await runs(`routeId=web&limit=2&cursor=${cursor}`);
      expect(page.total).toBe(5);
      seen.push(...page.runs.map((run: any) => run.request.preview));
      cursor = page.next;
    }
    expect(seen).toEqual(["n7", "n6", "n5", "n4", "n3"]);
    expect(await runs("text=S3CR3T")).toEqual({ runs: [], total: 0, next: null, searchedBack: null, complete: true });
    expect((await runs("text=illegalstate+bang&flowId=chain")).runs.map((run: any) => run.routeId).toSorted()).toEqual(["inner", "outer"]);
    expect(Object.keys(await runs("routeId=web"))).toEqual(["runs", "total"]);
    expect((await server.api("GET", "/runs?cursor=7")).json).toEqual({ error: "cursor must be 'newest' or the value of 'next' in the previous response" });
  });

  it("a filtered or duplicate message is discarded, unless something was sent before or a step comes after", async () => {
    const route = (id: string, ...steps: readonly string[]): string =>
      `- route:\n    id: ${id}\n    from:\n      uri: webhook\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;
    const filter = `filter: {simple: "\${header.keep} == 'yes'", steps: [{setBody: {constant: kept}}, {to: mock:kept}]}`;
    const once = `idempotentConsumer: {header: key, idempotentRepository: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository", steps: [{setBody: {constant: new}}]}`;
    const flows = {
      filtered: route("filtered", "log: seen", filter),
      "in-a-choice": route("in-a-choice", `choice: {when: [{simple: "true", steps: [{${filter}}]}]}`),
      "filter-then-more": route("filter-then-more", filter, "setBody: {constant: more}"),
      "sent-before": route("sent-before", "to: mock:sent", filter),
      "optional-end": route("optional-end", "setBody: {constant: done}", `filter: {simple: "\${header.keep} == 'yes'", steps: [{log: kept}]}`),
      parts: route("parts", `split: {tokenize: ",", steps: [{${filter}}]}`),
      once: route("once", once),
    };
    for (const [id, yaml] of Object.entries(flows)) {
      const put = await server.putFlow(id, yaml);
      expect([id, put.status, put.json.error]).toEqual([id, 201, undefined]);
    }
    const statusOf = async (routeId: string, headers: Readonly<Record<string, string>>): Promise<unknown> => {
      const reply = await fire(routeId, "a,b", headers);
      return [reply.status, (await server.api("GET", `/runs/${reply.headers.get("x-run-id")}`)).json.status];
    };
    expect(await statusOf("filtered", { keep: "yes" })).toEqual([200, "completed"]);
    expect(await statusOf("filtered", { keep: "no" })).toEqual([200, "discarded"]);
    expect(await statusOf("in-a-choice", { keep: "no" })).toEqual([200, "discarded"]);
    for (const routeId of ["filter-then-more", "sent-before", "optional-end", "parts"])
      expect([routeId, await statusOf(routeId, {})]).toEqual([routeId, [200, "completed"]]);
    expect(await statusOf("once", { key: "7" })).toEqual([200, "completed"]);
    expect(await statusOf("once", { key: "7" })).toEqual([200, "discarded"]);
    expect((await runs("status=discarded&routeId=filtered")).total).toBe(1);
    expect((await server.api("GET", "/metrics")).text).toContain('sluice_runs_total{flow="once",route="once",status="discarded"} 1');
    for (const id of Object.keys(flows)) await server.api("DELETE", `/flows/${id}`);
  });

  it("a failure caught by doTry or onException is reported as handled, unless the run fails later", async () => {
    const thrown = (message: string): string => `{throwException: {exceptionType: java.io.IOException, message: ${message}}}`;
    const tried = (step: string): string => `doTry: {steps: [${thrown("first")}], doCatch: [{exception: [java.io.IOException], steps: [${step}]}]}`;
    const hook = (id: string, ...steps: readonly string[]): string => directFlow(id, ...steps).replace(`direct:${id}`, "webhook");
    const flows = {
      "tried-at-once": hook("tried-at-once", tried("{setBody: {constant: saved}}")),
      "tried-later": hook("tried-later", tried("{delay: {constant: 5}}, {setBody: {constant: saved}}")),
      "tried-in-vain": hook("tried-in-vain", tried(thrown("second"))),
      "tried-too-early": hook("tried-too-early", tried("{setBody: {constant: saved}}"), `throwException: {exceptionType: java.io.IOException, message: third}`),
      "not-thrown": hook("not-thrown", "doTry: {steps: [{setBody: {constant: fine}}], doCatch: [{exception: [java.io.IOException], steps: []}]}"),
      rescued: `- onException: {exception: [java.io.IOException], handled: {constant: true}, steps: [{setBody: {constant: saved}}]}\n${hook("rescued", thrown("first").slice(1, -1))}`,
    };
    const outcomes: Record<string, unknown> = {};
    for (const [id, yaml] of Object.entries(flows)) {
      const put = await server.putFlow(id, yaml);
      expect([id, put.json.error]).toEqual([id, undefined]);
      await fire(id);
      const { status, handled, error } = (await runs(`routeId=${id}`)).runs[0];
      outcomes[id] = [status, handled, error?.message ?? null];
      await server.api("DELETE", `/flows/${id}`);
    }
    expect(outcomes).toEqual({
      "tried-at-once": ["completed", true, "first"],
      "tried-later": ["completed", true, "first"],
      "tried-in-vain": ["failed", false, "second"],
      "tried-too-early": ["failed", false, "third"],
      "not-thrown": ["completed", false, null],
      rescued: ["completed", true, "first"],
    });
  });

  it("running runs are listed, and previews are short", async () => {
    let respond: (() => void) | undefined;
    const partner = await stubPartner((_call, response) => (respond = () => void response.end()));
    await server.putFlow("slow", `- route:\n    id: slow\n    from:\n      uri: webhook\n      steps:\n        - to: {id: wait, uri: "${partner.url}"}\n`);
    const reply = fire("slow", "z".repeat(5_000));
    await eventually(() => respond !== undefined);
    const running = (await runs("routeId=slow")).runs[0];
    expect(running).toMatchObject({ status: "running", endedAt: null, durationMs: null, reply: null, steps: [{ stepId: "wait", status: "running" }] });
    expect(running.request).toEqual({ contentType: "text/plain;charset=UTF-8", size: 5_000, preview: "z".repeat(1_024) });
    respond?.();
    await reply;
    expect((await runs("routeId=slow")).runs[0].status).toBe("completed");
    await partner.close();
  });

  it("the reply of a run is the one its caller got, status and size", async () => {
    const route = (id: string, uri: string, ...steps: string[]): string =>
      `- route:\n    id: ${id}\n    from:\n      uri: "${uri}"\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;
    const flows = {
      "replies-json": route("replies-json", "webhook", "unmarshal: {json: {}}"),
      "replies-wide": route("replies-wide", "webhook", "setHeader: {name: CamelHttpResponseCode, constant: '418'}", "setBody: {constant: grün}"),
      "replies-ok": route("replies-ok", "webhook", "log: seen"),
      "replies-none": route("replies-none", "platform-http:/api/replies-none", "setBody: {constant: ''}"),
      "replies-failed": route("replies-failed", "webhook", "throwException: {exceptionType: java.lang.Exception, message: no}"),
      "replies-unread": route("replies-unread", "webhook", "unmarshal: {json: {}}"),
      "replies-later": route("replies-later", "webhook?async=true", "setBody: {constant: much later}"),
      "replies-late": route("replies-late", "webhook?requestTimeout=50", "delay: {constant: '200'}", "setBody: {constant: too late}"),
    };
    const bodies: Readonly<Record<string, string>> = { "replies-json": '{ "a": [1, 2] }' };
    const seen: Record<string, unknown> = {};
    for (const [id, yaml] of Object.entries(flows)) {
      expect((await server.putFlow(id, yaml)).status).toBe(201);
      const reply = await fire(id, bodies[id] ?? "x");
      const ended = async (): Promise<any> => (await server.api("GET", `/runs/${reply.headers.get("x-run-id")}`)).json;
      await eventually(async () => (await ended()).endedAt !== null);
      seen[id] = reply.status;
      expect([id, (await ended()).reply]).toEqual([id, { status: reply.status, size: Buffer.byteLength(reply.text) }]);
    }
    expect(seen).toEqual({
      "replies-json": 200,
      "replies-wide": 418,
      "replies-ok": 200,
      "replies-none": 204,
      "replies-failed": 500,
      "replies-unread": 400,
      "replies-later": 202,
      "replies-late": 504,
    });
  });

  it("runs stay in the history after their route is removed", async () => {
    await server.putFlow("gone", replyFlow("gone", "x"));
    await fire("gone");
    await server.api("DELETE", "/flows/gone");
    expect((await runs("routeId=gone")).total).toBe(1);
  });

  it("the total is bounded, and a route with few runs keeps them", async () => {
    for (let index = 0; index < 15; index++) {
      await server.putFlow(`many-${index}`, replyFlow(`many-${index}`, "x"));
      for (let count = 0; count < 5; count++) await fire(`many-${index}`);
    }
    expect((await runs("limit=1000")).total).toBeLessThanOrEqual(60);
    expect((await runs("routeId=quiet")).total).toBe(1);
  });
});

describe("health", () => {
  it("uptime grows, and every route has its metrics, in the order of the ids", async () => {
    const first = (await call(server.baseUrl, "GET", "/_api/health")).json;
    let second = first;
    await eventually(async () => {
      second = (await call(server.baseUrl, "GET", "/_api/health")).json;
      return second.uptime > first.uptime;
    });
    const web = second.routes.find((route: any) => route.id === "web");
    expect(web).toEqual({
      id: "web",
      flowId: "web",
      status: "Started",
      uptime: expect.any(Number),
      inflight: 0,
      total: 9,
      failed: 0,
      lastRunAt: expect.stringMatching(/Z$/),
    });
    expect(second.routes.map((route: any) => route.id)).toEqual(second.routes.map((route: any) => route.id).toSorted());
  });

  it("with the token it contains more details, but no secrets", async () => {
    const { json, text } = await server.api("GET", "/health");
    expect(json).toMatchObject({ openSessions: 0, streamClients: 0, memory: { rss: expect.any(Number) }, eventLoopLagMs: { p99: expect.any(Number) } });
    expect(json.routes.find((route: any) => route.id === "inner").lastError).toContain("no http://u:***@h/?password=***");
    expect(text).not.toContain("S3CR3T");
  });

  it("a route whose external system disappears is Failed and degrades the service until it recovers", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-inbox-"));
    const inbox = (text: string): string => `- route: {id: inbox, from: {uri: "file:${folder}?delay=20&initialDelay=0", steps: [{log: "${text} \${body}"}]}}\n`;
    const stateOfInbox = async (): Promise<unknown> => {
      const { status, routes } = (await server.api("GET", "/health")).json;
      const route = routes.find((candidate: any) => candidate.id === "inbox");
      return [status, route.status, route.lastError];
    };
    const disconnected = ["DEGRADED", "Failed", `the directory '${folder}' no longer exists`];
    const countInLog = (text: string): number => server.logText().split(text).length - 1;
    expect((await server.putFlow("inbox", inbox("first"))).status).toBe(201);
    expect(await stateOfInbox()).toEqual(["UP", "Started", null]);
    rmSync(folder, { recursive: true });
    await eventually(async () => isDeepStrictEqual(await stateOfInbox(), disconnected));
    expect((await server.api("GET", "/flows/inbox")).json.status).toBe("Failed");
    expect((await call(server.baseUrl, "GET", "/_api/health?probe=ready")).status).toBe(200);
    mkdirSync(folder);
    await eventually(async () => isDeepStrictEqual(await stateOfInbox(), ["UP", "Started", null]));
    writeFileSync(join(folder, "a.txt"), "one");
    await eventually(() => countInLog("first one") === 1);
    rmSync(folder, { recursive: true });
    await eventually(async () => isDeepStrictEqual(await stateOfInbox(), disconnected));
    await eventually(() => countInLog(`'${folder}' no longer exists`) === 2);
    expect((await server.api("POST", "/routes/inbox/suspend")).json.status).toBe("Suspended");
    expect(await stateOfInbox()).toEqual(["UP", "Suspended", null]);
    await server.api("POST", "/routes/inbox/resume");
    await eventually(async () => isDeepStrictEqual(await stateOfInbox(), ["UP", "Started", null]));
    rmSync(folder, { recursive: true, force: true });
    await eventually(async () => isDeepStrictEqual(await stateOfInbox(), disconnected));
    expect((await server.putFlow("inbox", inbox("second"))).status).toBe(200);
    expect(await stateOfInbox()).toEqual(["UP", "Started", null]);
    writeFileSync(join(folder, "b.txt"), "two");
    await eventually(() => countInLog("second two") === 1);
    expect(countInLog("first two")).toBe(0);
    await server.api("DELETE", "/flows/inbox");
    rmSync(folder, { recursive: true });
  });

  it("the probes report live and ready", async () => {
    for (const probe of ["live", "ready"]) expect((await call(server.baseUrl, "GET", `/_api/health?probe=${probe}`)).status).toBe(200);
    expect((await call(server.baseUrl, "GET", "/_api/health?probe=x")).status).toBe(400);
  });
});
