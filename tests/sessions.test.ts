// Test sessions: mocks, invoke and recorded calls.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { heldPartner, type HeldPartner } from "./held-partner.ts";
import { call, directFlow, eventually, replyFlow, startTestServer, type ApiReply, type StartedServer } from "./started-server.ts";

/** How many calls a session records. */
const sessionCalls = 5;

let server: StartedServer;
/** Holds the messages that must still be under way when something else happens. */
let partner: HeldPartner;
let openSessions: string[] = [];

const orders = directFlow(
  "orders",
  "setHeader: {name: X-Src, constant: shop}",
  "to: {id: call-erp, uri: 'direct:erp'}",
  "to: {id: notify, uri: 'mock:notified'}",
);
const erp = directFlow("erp", "setBody: {constant: real erp}");
const hook = "- route:\n    id: hook\n    from:\n      uri: webhook\n      steps:\n        - to: {id: out, uri: 'direct:erp'}\n";

beforeAll(async () => {
  partner = await heldPartner();
  server = await startTestServer({ limits: { maxSessions: 20, sessionCalls } });
  for (const [id, yaml] of Object.entries({ orders, erp, hook })) expect((await server.putFlow(id, yaml)).status).toBe(201);
});
afterEach(async () => {
  for (const id of openSessions) await server.api("DELETE", `/test/session/${id}`);
  openSessions = [];
});
afterAll(async () => {
  partner.close();
  await server.end();
});

async function session(body: unknown): Promise<any> {
  const reply = await server.api("POST", "/test/session", body);
  expect([reply.status, reply.json.error]).toEqual([201, undefined]);
  openSessions.push(reply.json.sessionId);
  return reply.json;
}
const invoke = (sessionId: string, extra: Readonly<Record<string, unknown>> = {}): Promise<ApiReply> =>
  server.api("POST", "/test/invoke", { sessionId, trigger: "direct:orders", ...extra });
const close = async (sessionId: string): Promise<any> => (await server.api("DELETE", `/test/session/${sessionId}`)).json;
const runCompletes = (runId: string): Promise<void> => eventually(async () => (await server.api("GET", `/runs/${runId}`)).json.status === "completed");
const respondTo = (stepId: string, respond: unknown, extra: object = {}): object => ({ mocks: [{ id: "m", match: { stepId }, respond }], ...extra });

describe("a mocked destination", () => {
  it("is recorded on the exchange like a real one, so that failure data names it", async () => {
    const yaml = directFlow("noted", "to: {uri: 'mock:notified'}", "setBody: {exchangeProperty: CamelToEndpoint}");
    expect((await server.putFlow("noted", yaml)).status).toBe(201);
    const { sessionId } = await session({ mocks: [{ match: { uri: "mock:*", flowId: "noted" }, respond: {} }] });
    expect((await invoke(sessionId, { trigger: "direct:noted" })).json.body).toBe("mock://notified");
    expect((await close(sessionId)).recordedCalls).toHaveLength(1);
    await server.api("DELETE", "/flows/noted");
  });
});

const asserting = (expected: unknown) => ({
  mocks: [{ id: "m", match: { stepId: "notify" }, respond: {} }],
  assertions: [{ mockCalled: { mock: "m", with: expected } }],
});

describe("opening", () => {
  it("ids are unguessable and distinct, ttlMs is an integer", async () => {
    const ids = new Set<string>();
    for (let index = 0; index < 50; index++) {
      const reply = await server.api("POST", "/test/session", {});
      expect(reply.json).toMatchObject({ sessionId: expect.stringMatching(/^ts_[0-9A-HJKMNP-TV-Z]{26}$/), ttlMs: 60_000 });
      ids.add(reply.json.sessionId);
      await close(reply.json.sessionId);
    }
    expect(ids.size).toBe(50);
  });

  it("reports which steps each mock replaced", async () => {
    const before = Date.now();
    const { mocks, expiresAt } = await session({
      ttlMs: 5_000,
      mocks: [
        { id: "erp", match: { stepId: "call-*", routeId: "order*" }, respond: {} },
        { match: { uri: "mock:*" }, respond: {} },
      ],
    });
    expect(mocks).toEqual([
      { id: "erp", steps: ["orders/call-erp"] },
      { id: "mock2", steps: ["orders/notify"] },
    ]);
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + 5_000);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 5_000);
  });

  it("rejects invalid input", async () => {
    const refused: readonly (readonly [unknown, number, string | RegExp])[] = [
      [{ ttlMs: 999 }, 400, "ttlMs must be an integer from 1000 to 3600000"],
      [{ ttlMs: 3_600_001 }, 400, "ttlMs must be an integer from 1000 to 3600000"],
      [{ ttlMs: 1_000.5 }, 400, "ttlMs must be an integer from 1000 to 3600000"],
      [{ scope: "world" }, 400, "scope must be one of deployment, session"],
      [{ mocks: {} }, 400, "mocks must be a list"],
      [{ mocks: [{ match: {}, respond: {} }] }, 400, "mocks[0].match must name a stepId, uri, kind, routeId or flowId"],
      [{ mocks: [{ match: { stepId: "" }, respond: {} }] }, 400, "mocks[0].match.stepId must not be empty"],
      [{ name: "x".repeat(201) }, 400, "name must have at most 200 characters"],
      [{ mocks: Array.from({ length: 1_001 }, () => ({ match: { uri: "x:*" }, respond: {} })) }, 400, "mocks must have at most 1000 entries"],
      [{ mocks: [{ match: { stepId: "notify" } }] }, 400, "mocks[0] must have exactly one of respond, throw and sequence"],
      [{ mocks: [{ match: { step: "notify" }, respond: {} }] }, 400, "mocks[0].match: unknown property 'step'"],
      [respondTo("call-epr", {}), 422, "mock 'm': no matching deployed route has a step 'call-epr'"],
      [respondTo("/[/", {}), 400, "match.stepId of mock 'm' is not a valid regular expression"],
      [respondTo("notify", { bodyExpr: "${body" }), 400, /not a valid simple expression/],
      [{ assertions: [{ mockOrder: "m" }] }, 400, "assertions[0].mockOrder must be a list"],
      [{ assertions: [{ mockOrder: ["m", 5] }] }, 400, "assertions[0].mockOrder[1] must be a string"],
      [{ assertions: [{ mockCalled: { mock: "m", time: 2 } }] }, 400, "assertions[0].mockCalled: unknown property 'time'"],
      [{ assertions: [{ mockCalled: { mock: "m", times: -1 } }] }, 400, "assertions[0].mockCalled.times must be 0 or more"],
      [{ assertions: [{ mockCalled: { mock: "m", call: "third" } }] }, 400, "assertions[0].mockCalled.call must be one of first, last, any, all"],
      [{ assertions: [{ mockCalled: 5 }] }, 400, "assertions[0].mockCalled is invalid"],
      [{ assertions: [{}] }, 400, "assertions[0].mockCalled is required"],
      [{ assertions: ["m"] }, 400, "assertions[0] is invalid"],
      [asserting({ matches: "(" }), 400, "'matches' of an assertion: the regular expression '(' is invalid: missing closing ): `(`"],
      [asserting({ jsonpath: { "$.[": 1 } }), 400, /not a valid jsonpath expression/],
    ];
    for (const [body, status, error] of refused) {
      const reply = await server.api("POST", "/test/session", body);
      expect([reply.status, reply.json.error]).toEqual([status, typeof error === "string" ? error : expect.stringMatching(error)]);
    }
  });

  it("a malicious regular expression in a mock or an assertion is matched quickly", async () => {
    const { sessionId } = await session({
      mocks: [{ id: "m", match: { stepId: "/(c+a?l?l?)+-erp/", kind: "/(t+o?)+/" }, respond: { body: "x" } }],
      assertions: [{ mockCalled: { mock: "m", with: { matches: "^(a+)+$" } } }],
    });
    await invoke(sessionId, { body: `${"a".repeat(60)}b` });
    expect((await close(sessionId)).assertions).toEqual([{ ok: false, message: expect.stringContaining("expected it to match ^(a+)+$") }]);
  });

  it("open sessions are limited", async () => {
    for (let index = 0; index < 20; index++) await session({});
    const reply = await server.api("POST", "/test/session", {});
    expect([reply.status, reply.json]).toEqual([429, { error: "at most 20 test sessions can be open: close one, or wait until one expires" }]);
  });
});

describe("mocks", () => {
  it("a mock responds, records the step's input, and is removed after closing", async () => {
    const { sessionId } = await session({
      mocks: [{ id: "erp", match: { stepId: "call-erp" }, respond: { status: 201, headers: { "X-Id": "7" }, body: { ok: true } } }],
    });
    const reply = await invoke(sessionId, { body: { id: "A-1001" } });
    expect(reply.json).toEqual({
      runId: expect.stringMatching(/^run_[0-9A-Z]{26}$/),
      status: "completed",
      body: { ok: true },
      bodyType: "json",
      headers: { "X-Src": "shop", "X-Id": "7", CamelHttpResponseCode: 201 },
      durationMs: expect.any(Number),
      error: null,
    });
    expect((await invoke(sessionId, { body: "again" })).json.status).toBe("completed");
    const shown = (await server.api("GET", `/test/session/${sessionId}`)).json;
    const closed = await close(sessionId);
    expect(closed).toEqual(shown);
    expect(closed).toMatchObject({ sessionId, expired: false, stale: [], truncated: false });
    expect(closed.recordedCalls[0]).toEqual({
      seq: 1,
      mockId: "erp",
      flowId: "orders",
      routeId: "orders",
      stepId: "call-erp",
      uri: "direct:erp",
      runId: reply.json.runId,
      at: expect.stringMatching(/Z$/),
      attempt: 1,
      request: { body: { id: "A-1001" }, bodyType: "json", headers: { "X-Src": "shop" } },
      outcome: "responded",
      response: { status: 201, headers: { "X-Id": "7" }, body: { ok: true } },
      error: null,
    });
    expect((await server.api("DELETE", `/test/session/${sessionId}`)).json).toEqual({ error: `test session '${sessionId}' not found` });
    expect((await invoke(sessionId)).status).toBe(404);
    const { sessionId: other } = await session({});
    expect((await invoke(other, { body: "x" })).json.body).toBe("real erp");
  });

  it("an error thrown by a mock triggers the route's own error handling", async () => {
    const yaml = `- onException:
    exception: [java.util.concurrent.TimeoutException]
    redeliveryPolicy: {maximumRedeliveries: 2, redeliveryDelay: 1}
    handled: {constant: true}
    steps:
      - setBody: {constant: rescued}
${directFlow("retrying", "to: {id: far, uri: 'direct:erp'}")}`;
    expect((await server.putFlow("retrying", yaml)).status).toBe(201);
    const { sessionId } = await session({ mocks: [{ id: "far", match: { stepId: "far" }, throw: { type: "Timeout", message: "erp slow" } }] });
    expect((await invoke(sessionId, { trigger: "direct:retrying" })).json).toMatchObject({ status: "completed", body: "rescued" });
    const { recordedCalls } = await close(sessionId);
    expect(recordedCalls.map(({ attempt, outcome, error }: any) => [attempt, outcome, error])).toEqual(
      [1, 2, 3].map((attempt) => [attempt, "threw", { type: "Timeout", message: "erp slow" }]),
    );
    const run = (await server.api("GET", "/runs?routeId=retrying&kind=test")).json.runs[0];
    expect([run.handled, run.steps.find(({ stepId }: { stepId: string }) => stepId === "far").attempts]).toEqual([true, 3]);
  });

  it("an error thrown by a mock reaches the dead letter endpoint of the route", async () => {
    const yaml = `- errorHandler:\n    deadLetterChannel:\n      deadLetterUri: "mock:dead"\n      redeliveryPolicy: {maximumRedeliveries: 1, redeliveryDelay: 1}\n${directFlow("dead-lettering", "to: {id: lost, uri: 'direct:erp'}")}`;
    expect((await server.putFlow("dead-lettering", yaml)).status).toBe(201);
    const { sessionId } = await session({
      mocks: [
        { id: "lost", match: { stepId: "lost" }, throw: { type: "java.io.IOException", message: "gone" } },
        { id: "dead", match: { uri: "mock:dead" }, respond: {} },
      ],
    });
    expect((await invoke(sessionId, { trigger: "direct:dead-lettering", body: "kept" })).json).toMatchObject({ status: "completed", error: null });
    const { recordedCalls } = await close(sessionId);
    expect(recordedCalls.map(({ mockId, request }: any) => [mockId, request.body])).toEqual([
      ["lost", "kept"],
      ["lost", "kept"],
      ["dead", "kept"],
    ]);
    expect((await server.api("GET", "/runs?routeId=dead-lettering&kind=test")).json.runs[0]).toMatchObject({ handled: true, redeliveries: 1 });
  });

  it("sequence, then, times and bodyExpr determine the replies", async () => {
    const texts = async (mock: object, count: number): Promise<unknown[]> => {
      const { sessionId } = await session({ mocks: [{ id: "m", match: { stepId: "call-erp" }, ...mock }] });
      const seen: unknown[] = [];
      for (let index = 0; index < count; index++) {
        const { json } = await invoke(sessionId, { body: `b${index}` });
        seen.push(json.error === null ? json.body : json.error.message);
      }
      await close(sessionId);
      return seen;
    };
    const sequence = [{ respond: { body: "one" } }, { throw: { type: "java.io.IOException", message: "two" } }];
    expect(await texts({ sequence }, 3)).toEqual(["one", "two", "two"]);
    expect(await texts({ sequence, then: "cycle" }, 4)).toEqual(["one", "two", "one", "two"]);
    expect(await texts({ sequence, then: "passthrough" }, 3)).toEqual(["one", "two", "real erp"]);
    expect(await texts({ sequence, then: "fail" }, 3)).toEqual(["one", "two", "mock 'm' was called more than 2 times"]);
    expect(await texts({ respond: { body: "x" }, times: 2 }, 3)).toEqual(["x", "x", "real erp"]);
    expect(await texts({ respond: { bodyExpr: "got ${body} from ${header.X-Src}" } }, 1)).toEqual(["got b0 from shop"]);
    expect(await texts({ respond: { status: 503, body: "down" } }, 1)).toEqual([expect.stringContaining("503")]);
    expect(await texts({ respond: {} }, 1)).toEqual(["b0"]);
  });

  it("a mocked status of 400 or more has the same effect as this status from the real HTTP step", async () => {
    const http = (options: string): string => `to: {id: far, uri: "http://127.0.0.1:9/x${options}"}`;
    const seen = async (step: string): Promise<unknown> => {
      const put = await server.putFlow("far", directFlow("far", step));
      expect([put.json.error, put.status < 300]).toEqual([undefined, true]);
      const { sessionId } = await session({
        mocks: [{ id: "m", match: { uri: "http:*", flowId: "far" }, respond: { status: 503, headers: { "X-Why": "full" }, body: "down" } }],
      });
      const { json } = await invoke(sessionId, { trigger: "direct:far", body: "sent" });
      const { recordedCalls } = await close(sessionId);
      return [json.status, json.body, json.headers, recordedCalls[0].outcome];
    };
    const failed = ["failed", "sent", {}, "threw"];
    const completed = ["completed", "down", { "X-Why": "full", CamelHttpResponseCode: 503 }, "responded"];
    for (const [step, outcome] of [
      [http(""), failed],
      [http("?throwExceptionOnFailure=true"), failed],
      [http("?okStatusCodeRange=200-299,500-502"), failed],
      [http("?throwExceptionOnFailure=false"), completed],
      [http("?connectTimeout=5s&okStatusCodeRange=200-299,503"), completed],
      [http("?okStatusCodeRange=200-599"), completed],
      [`to: {id: far, uri: "http://127.0.0.1:9/x", parameters: {throwExceptionOnFailure: false}}`, completed],
      [`toD: {id: far, uri: "http://127.0.0.1:9/\${body}?throwExceptionOnFailure=false"}`, completed],
    ] as const)
      expect([step, await seen(step)]).toEqual([step, outcome]);
    await server.api("DELETE", "/flows/far");
  });

  it("a mock that fails a step leaves the message unchanged for the next attempt", async () => {
    const yaml = `- errorHandler:\n    defaultErrorHandler:\n      redeliveryPolicy: {maximumRedeliveries: 1, redeliveryDelay: 1}\n${directFlow("trying", "to: {id: tried, uri: 'direct:erp'}")}`;
    expect((await server.putFlow("trying", yaml)).status).toBe(201);
    const { sessionId } = await session({
      mocks: [{ id: "m", match: { stepId: "tried" }, sequence: [{ respond: { status: 429, body: "slow down" } }, { respond: { body: "done" } }] }],
    });
    expect((await invoke(sessionId, { trigger: "direct:trying", body: "sent" })).json).toMatchObject({ status: "completed", body: "done" });
    expect((await close(sessionId)).recordedCalls.map(({ request, outcome }: any) => [request.body, outcome])).toEqual([
      ["sent", "threw"],
      ["sent", "responded"],
    ]);
    await server.api("DELETE", "/flows/trying");
  });

  it("the most specific mock wins", async () => {
    const { sessionId } = await session({
      mocks: [
        { id: "all", match: { flowId: "orders" }, respond: { body: "by flow" } },
        { id: "uri", match: { uri: "direct:erp" }, respond: { body: "by uri" } },
        { id: "step", match: { stepId: "notify" }, respond: { body: "by step" } },
      ],
    });
    await invoke(sessionId, { body: "x" });
    const { recordedCalls } = await close(sessionId);
    expect(recordedCalls.map(({ mockId, stepId }: any) => [mockId, stepId])).toEqual([
      ["all", "setHeader1"],
      ["uri", "call-erp"],
      ["step", "notify"],
    ]);
  });

  it("a mock:* pattern records the messages that reach mock endpoints, whichever form the flow uses", async () => {
    await server.putFlow("forms", directFlow("forms", "to: {uri: mock, parameters: {name: a}}", "to: 'mock:b'"));
    const { sessionId } = await session({ mocks: [{ match: { uri: "mock:*", flowId: "forms" }, respond: {} }] });
    await invoke(sessionId, { trigger: "direct:forms", body: "x" });
    expect((await close(sessionId)).recordedCalls.map(({ uri }: any) => uri.split("?")[0])).toEqual(["mock:a", "mock:b"]);
  });

  it("unmatched: fail rejects unmocked sends to external endpoints", async () => {
    expect((await server.putFlow("leaky", directFlow("leaky", "to: direct:erp", "to: {id: far, uri: 'file:/tmp/nowhere'}"))).status).toBe(201);
    const { sessionId } = await session({ scope: "session", unmatched: "fail" });
    const { json } = await invoke(sessionId, { trigger: "direct:leaky" });
    expect([json.status, json.error.message]).toEqual(["failed", expect.stringContaining("no mock for 'file:")]);
  });

  it("time: skip does not wait", async () => {
    await server.putFlow("waiting", directFlow("waiting", "delay: {constant: 86400000}", "setBody: {constant: done}"));
    const { sessionId } = await session({ time: "skip" });
    const { json } = await invoke(sessionId, { trigger: "direct:waiting" });
    expect(json.body).toBe("done");
  });

  it("recorded calls are limited and the true count is reported", async () => {
    const { sessionId } = await session(respondTo("call-erp", { body: "x" }));
    for (let index = 0; index < 8; index++) await invoke(sessionId, { body: "y" });
    const closed = await close(sessionId);
    expect([closed.recordedCalls.length, closed.truncated, closed.callCount]).toEqual([5, true, 8]);
  });

  it("a call that a mock passes through is neither counted nor stored", async () => {
    const { sessionId } = await session({
      mocks: [
        { id: "erp", match: { stepId: "call-erp" }, respond: { body: "x" }, times: 1 },
        { id: "notified", match: { stepId: "notify" }, sequence: [{ respond: {} }, { respond: {} }], then: "passthrough" },
      ],
    });
    for (let index = 0; index < 30; index++) await invoke(sessionId, { body: "y".repeat(200_000) });
    const closed = await close(sessionId);
    expect(closed.recordedCalls.map(({ seq, mockId }: any) => [seq, mockId])).toEqual([
      [1, "erp"],
      [2, "notified"],
      [3, "notified"],
    ]);
    expect([closed.truncated, closed.callCount]).toEqual([false, 3]);
  });

  it("a mock whose expression fails is recorded as having thrown", async () => {
    const { sessionId } = await session(respondTo("call-erp", { bodyExpr: "${bodyAs(Integer)}" }));
    const { json } = await invoke(sessionId, { body: "no number" });
    const { recordedCalls } = await close(sessionId);
    expect([json.status, recordedCalls[0].outcome, recordedCalls[0].error.message]).toEqual(["failed", "threw", json.error.message]);
  });

  it("credentials of webhook calls are masked in recorded calls", async () => {
    const { sessionId } = await session(respondTo("out", { body: "x" }));
    await fetch(`${server.baseUrl}/api/hook`, {
      method: "POST",
      body: "b",
      headers: { authorization: "Bearer S3CR3T-1", cookie: "a=S3CR3T-2", "x-api-key": "S3CR3T-3", "x-hub-signature-256": "S3CR3T-4", "x-plain": "seen" },
    });
    const text = JSON.stringify(await close(sessionId));
    expect(text).toContain("seen");
    expect(text).not.toContain("S3CR3T");
  });
});

describe("scope", () => {
  it("deployment scope mocks webhook calls too and marks their replies", async () => {
    const { sessionId } = await session(respondTo("out", { body: "mocked" }));
    const reply = await call(server.baseUrl, "POST", "/api/hook", "x");
    expect([reply.text, reply.headers.get("x-mocked")]).toEqual(["mocked", sessionId]);
    await close(sessionId);
    const after = await call(server.baseUrl, "POST", "/api/hook", "x");
    expect([after.text, after.headers.get("x-mocked")]).toEqual(["real erp", null]);
  });

  it("session scope does not affect live traffic and follows X-Test-Session", async () => {
    const { sessionId } = await session(respondTo("out", { body: "mocked" }, { scope: "session" }));
    expect((await call(server.baseUrl, "POST", "/api/hook", "x")).text).toBe("real erp");
    expect((await call(server.baseUrl, "POST", "/api/hook", "x", { "x-test-session": sessionId })).text).toBe("mocked");
  });

  it("state kept between messages is separate for sessions and live traffic", async () => {
    const repository = '"#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository"';
    await server.putFlow(
      "memories",
      `- route:
    id: keyed
    from:
      uri: webhook?idempotency=true
      steps:
        - to: {id: ask-real, uri: "direct:real-answer"}
- route:
    id: real-answer
    from:
      uri: direct:real-answer
      steps:
        - setBody: {constant: real}
- route:
    id: once
    from:
      uri: webhook
      steps:
        - idempotentConsumer: {header: X-Id, idempotentRepository: ${repository}, steps: [{setBody: {constant: first}}]}
- route:
    id: pairs
    from:
      uri: webhook
      steps:
        - aggregate:
            correlationExpression: {constant: all}
            completionSize: 2
            aggregationStrategy: GroupedBodyAggregationStrategy
            steps: [{log: "a pair of \${body} by \${exchangeProperty.CamelAggregatedCorrelationKey}"}]
- route:
    id: ordered
    from:
      uri: webhook
      steps:
        - resequence: {header: X-Id, batchConfig: {batchSize: 2, batchTimeout: 600000}, steps: [{log: "in order: \${body}"}]}
- route:
    id: broken-circuit
    from:
      uri: webhook
      steps:
        - circuitBreaker:
            resilience4jConfiguration: {minimumNumberOfCalls: 2, slidingWindowSize: 2}
            steps: [{to: {id: ask-again, uri: "direct:real-answer"}}]
            onFallback: {steps: [{setBody: {constant: fallback}}]}
- route:
    id: two-an-hour
    from:
      uri: webhook
      steps:
        - throttle: {constant: 2, timePeriodMillis: 3600000, rejectExecution: true}
        - setBody: {constant: through}
`,
    );
    const mocked = { match: { stepId: "ask-real" }, respond: { body: "mocked" } };
    const broken = { match: { stepId: "ask-again" }, throw: { type: "Timeout", message: "made up" } };
    const { sessionId } = await session({ scope: "session", mocks: [mocked, broken] });
    const inSession = { "x-test-session": sessionId };
    const post = async (path: string, headers: Readonly<Record<string, string>>, body = "x") =>
      (await call(server.baseUrl, "POST", `/api/${path}`, body, headers)).text;
    const key = (name: string) => ({ "idempotency-key": name });
    expect([await post("keyed", { ...key("a"), ...inSession }), await post("keyed", key("a")), await post("keyed", { ...key("a"), ...inSession })]).toEqual([
      "mocked",
      "real",
      "mocked",
    ]);
    expect([await post("once", { "x-id": "1", ...inSession }), await post("once", { "x-id": "1" }), await post("once", { "x-id": "1" })]).toEqual([
      "first",
      "first",
      "ok",
    ]);
    for (let count = 0; count < 4; count++) {
      expect(await post("broken-circuit", inSession)).toBe("fallback");
      await post("two-an-hour", inSession);
    }
    expect([await post("broken-circuit", {}), await post("two-an-hour", {})]).toEqual(["real", "through"]);
    await post("pairs", inSession, "tried");
    await post("pairs", {}, "one");
    await post("pairs", {}, "two");
    await eventually(() => server.logText().includes("a pair of"));
    await post("ordered", { "x-id": "1", ...inSession }, "tried");
    await post("ordered", { "x-id": "2" }, "two");
    await post("ordered", { "x-id": "1" }, "one");
    await eventually(() => server.logText().includes("in order: two"));
    expect(server.logText().match(/in order: \w+/g)).toEqual(["in order: one", "in order: two"]);
    expect(server.logText()).toContain(String.raw`a pair of [\"one\",\"two\"] by all`);
    await server.api("DELETE", `/test/session/${sessionId}`);
    const deploymentSession = await session({ scope: "deployment", mocks: [mocked] });
    expect(await post("keyed", key("b"))).toBe("mocked");
    await server.api("DELETE", `/test/session/${deploymentSession.sessionId}`);
    expect(await post("keyed", key("b"))).toBe("real");
    await server.api("DELETE", "/flows/memories");
  });

  it("a second deployment session for the same step gets 409; sessions with session scope are independent", async () => {
    await session(respondTo("out", { body: "1" }));
    const second = await server.api("POST", "/test/session", respondTo("out", { body: "2" }));
    expect([second.status, second.json.error]).toEqual([409, expect.stringContaining("step 'hook/out' is already mocked")]);
    const a = await session(respondTo("call-erp", { body: "a" }, { scope: "session" }));
    const b = await session(respondTo("call-erp", { body: "b" }, { scope: "session" }));
    expect([(await invoke(a.sessionId)).json.body, (await invoke(b.sessionId)).json.body]).toEqual(["a", "b"]);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => invoke(index % 2 === 0 ? a.sessionId : b.sessionId, { body: index % 2 === 0 ? "for a" : "for b" })),
    );
    for (const [{ sessionId }, body] of [
      [a, "for a"],
      [b, "for b"],
    ] as const) {
      const { recordedCalls, callCount } = await close(sessionId);
      expect([callCount, new Set(recordedCalls.slice(1).map(({ request }: any) => request.body))]).toEqual([21, new Set([body])]);
    }
  });

  it("messages spawned by a session's message belong to the same session", async () => {
    await server.putFlow(
      "spawning",
      directFlow("spawning", "wireTap: {uri: 'direct:erp-tap'}", "to: seda:later") +
        directFlow("erp-tap", "to: {id: tapped, uri: 'mock:tapped'}") +
        "- route:\n    id: later\n    from:\n      uri: seda:later\n      steps:\n        - to: {id: queued, uri: 'mock:queued'}\n",
    );
    const { sessionId } = await session({ scope: "session", mocks: [{ match: { uri: "mock:*" }, respond: {} }] });
    await invoke(sessionId, { trigger: "direct:spawning", body: "x" });
    await eventually(async () => (await server.api("GET", `/test/session/${sessionId}`)).json.recordedCalls.length === 2);
    expect((await close(sessionId)).recordedCalls.map(({ stepId }: any) => stepId).sort()).toEqual(["queued", "tapped"]);
  });

  it("remaining messages of a closed session are not sent, those of an open session are", async () => {
    const runsOf = async (query: string): Promise<any> => (await server.api("GET", `/runs?kind=live,test&${query}`)).json;
    const out = (id: string): string => `to: {id: ${id}, uri: 'direct:left-partner'}`;
    const grouping = "correlationExpression: {constant: all}, completionTimeout: 10, aggregationStrategy: GroupedBodyAggregationStrategy";
    const installed = await server.putFlow(
      "left-over",
      directFlow("left-over", "wireTap: {uri: 'direct:left-tap'}", "to: 'direct:left-group'") +
        directFlow("left-tap", `to: "${partner.url}"`, out("left-tapped")) +
        directFlow("left-group", `aggregate: {${grouping}, steps: [{to: "${partner.url}"}, {${out("grouped")}}]}`) +
        directFlow("left-partner", "setBody: {constant: reached}"),
    );
    expect([installed.status, installed.json.error]).toEqual([201, undefined]);
    const mocks = ["left-tapped", "grouped"].map((stepId) => ({ match: { stepId }, respond: {} }));
    const { sessionId } = await session({ scope: "session", mocks });
    expect((await invoke(sessionId, { trigger: "direct:left-over", body: "x" })).json.status).toBe("completed");
    await eventually(() => partner.waiting() === 2);
    expect((await close(sessionId)).recordedCalls).toEqual([]);
    partner.respond();
    for (const routeId of ["left-tap", "left-group"]) await eventually(async () => (await runsOf(`routeId=${routeId}&status=failed`)).total === 1);
    expect((await runsOf("routeId=left-tap")).runs[0].error.message).toBe(
      `test session '${sessionId}' has ended: its messages can no longer use 'direct:left-partner'`,
    );
    expect((await runsOf("routeId=left-partner")).total).toBe(0);
    const other = await session({ scope: "session", mocks: [] });
    await invoke(other.sessionId, { trigger: "direct:left-over", body: "y" });
    await eventually(() => partner.waiting() === 2);
    partner.respond();
    await eventually(async () => (await runsOf("routeId=left-partner")).total === 2);
  });

  it("a redeployed flow is not mocked; the session is stale for it", async () => {
    await server.putFlow("moving", directFlow("moving", "setBody: {id: b, constant: v1}"));
    const { sessionId } = await session(respondTo("b", { body: "mocked" }));
    expect((await invoke(sessionId, { trigger: "direct:moving" })).json.body).toBe("mocked");
    await server.putFlow("moving", directFlow("moving", "setBody: {id: b, constant: v2}"));
    const stale = await invoke(sessionId, { trigger: "direct:moving" });
    expect([stale.status, stale.json.error]).toEqual([409, expect.stringContaining("flow 'moving' changed")]);
    const fresh = await session({ scope: "session" });
    expect((await invoke(fresh.sessionId, { trigger: "direct:moving" })).json.body).toBe("v2");
    const closed = await close(sessionId);
    expect([closed.stale, closed.recordedCalls.length]).toEqual([["moving"], 1]);
  });

  it("a session keeps the steps of unchanged flows, and releases those of a replaced flow", async () => {
    for (const id of ["stays", "leaves"]) await server.putFlow(id, directFlow(id, `setBody: {id: ${id}-step, constant: v1}`));
    await session({ mocks: [{ match: { stepId: "*-step" }, respond: { body: "first" } }] });
    await server.putFlow("leaves", directFlow("leaves", "setBody: {id: leaves-step, constant: v2}"));
    const conflicting = await server.api("POST", "/test/session", respondTo("stays-step", { body: "second" }));
    expect([conflicting.status, conflicting.json.error]).toEqual([409, expect.stringContaining("step 'stays/stays-step' is already mocked")]);
    const { sessionId } = await session(respondTo("leaves-step", { body: "second" }));
    expect((await invoke(sessionId, { trigger: "direct:leaves" })).json.body).toBe("second");
  });

  it("isolated rejects deployment scope, off rejects all", async () => {
    for (const [mode, scopes] of [
      ["isolated", { deployment: 403, session: 201 }],
      ["off", { deployment: 403, session: 403 }],
    ] as const) {
      const other = await startTestServer({ env: { SERVICE_TEST_SESSIONS: mode } });
      for (const [scope, status] of Object.entries(scopes)) expect((await other.api("POST", "/test/session", { scope })).status).toBe(status);
      await other.end();
    }
  });
});

describe("invoke", () => {
  it("unknown endpoints, other schemes and missing sessions are rejected", async () => {
    const { sessionId } = await session({});
    for (const trigger of ["direct:x", "timer:x", "file:/etc"]) {
      const reply = await invoke(sessionId, { trigger });
      expect([reply.status, reply.json]).toEqual([404, { error: `no direct endpoint '${trigger}'` }]);
    }
    const closed = await session({});
    await close(closed.sessionId);
    for (const unknownId of ["ts_none", closed.sessionId]) {
      const reply = await invoke(unknownId);
      expect([reply.status, reply.json]).toEqual([404, { error: `test session '${unknownId}' not found` }]);
      expect((await server.api("DELETE", `/test/session/${unknownId}`)).status).toBe(404);
    }
    expect((await server.api("POST", "/test/invoke", { trigger: "direct:orders" })).json).toEqual({ error: "sessionId is required" });
    expect((await invoke(sessionId, { trigger: undefined })).json).toEqual({ error: "trigger or routeId is required" });
    expect((await invoke(sessionId, { trigger: undefined, routeId: "none" })).json).toEqual({ error: "route 'none' not found" });
  });

  it("a failed route is a result, not an error of the call", async () => {
    await server.putFlow("failing", directFlow("failing", "throwException: {id: bang, exceptionType: java.lang.IllegalStateException, message: boom}"));
    const { sessionId } = await session({});
    const reply = await invoke(sessionId, { trigger: "direct:failing" });
    expect([reply.status, reply.json.status, reply.json.error]).toEqual([
      200,
      "failed",
      { type: "java.lang.IllegalStateException", message: "boom", stepId: "bang" },
    ]);
  });

  it("presets headers, properties and variables; reads base64; reaches any route by its id", async () => {
    await server.putFlow(
      "preset",
      "- route:\n    id: preset\n    from:\n      uri: timer:never?delay=1h\n      steps:\n        - setBody: {simple: '${body}|${header.h}|${exchangeProperty.p}|${variable.v}'}\n",
    );
    const { sessionId } = await session({});
    const reply = await invoke(sessionId, {
      trigger: undefined,
      routeId: "preset",
      bodyBase64: Buffer.from("büte").toString("base64"),
      headers: { h: 1 },
      properties: { p: "two" },
      variables: { v: "three" },
    });
    expect(reply.json.body).toBe("büte|1|two|three");
  });

  it("limits headers to the maximum of a message", async () => {
    const { sessionId } = await session(respondTo("call-erp", {}));
    const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`h${index}`, index]));
    const invoke = (count: number) => server.api("POST", "/test/invoke", { sessionId, trigger: "direct:orders", body: "x", headers: headers(count) });
    expect((await invoke(1_000)).status).toBe(200);
    const refused = await invoke(1_001);
    expect([refused.status, refused.json]).toEqual([400, { error: "headers must have at most 1000 entries" }]);
  });

  it("accepts base64 with or without padding, and rejects invalid base64", async () => {
    const { sessionId } = await session(respondTo("call-erp", {}));
    for (const [bodyBase64, body] of [
      ["", ""],
      ["/w==", "/w=="],
      ["_w", "/w=="],
      ["eHl6", "xyz"],
    ] as const)
      expect((await invoke(sessionId, { bodyBase64 })).json).toMatchObject({ status: "completed", body, bodyType: "bytes" });
    for (const bodyBase64 of ["a", "!!", "eA=", "eHl6=", "e A==", "eHl6e"])
      expect([bodyBase64, (await invoke(sessionId, { bodyBase64 })).json]).toEqual([bodyBase64, { error: "bodyBase64 must be base64" }]);
    expect((await invoke(sessionId, { body: "x", bodyBase64: "eA==" })).json).toEqual({ error: "send either body or bodyBase64, not both" });
  });

  it("InOnly responds immediately with the run", async () => {
    await server.putFlow("lazy", directFlow("lazy", `to: "${partner.url}"`, "setBody: {constant: done}"));
    const { sessionId } = await session({});
    const reply = await invoke(sessionId, { trigger: "direct:lazy", pattern: "InOnly" });
    expect(reply.json).toMatchObject({ status: "running", runId: expect.stringMatching(/^run_/), error: null });
    const quick = await invoke(sessionId, { trigger: "direct:erp", pattern: "InOnly" });
    expect(quick.json).toMatchObject({ status: "running", runId: expect.stringMatching(/^run_/), body: null, error: null });
    await runCompletes(quick.json.runId);
    await eventually(() => partner.waiting() === 1);
    partner.respond();
    await runCompletes(reply.json.runId);
  });

  it("timeoutMs limits the wait, the run continues", async () => {
    const { sessionId } = await session({});
    const reply = await invoke(sessionId, { trigger: "direct:lazy", timeoutMs: 50 });
    expect(reply.json).toMatchObject({ status: "running", error: { type: "Timeout" } });
    await eventually(() => partner.waiting() === 1);
    partner.respond();
    await runCompletes(reply.json.runId);
  });
});

describe("expiry and assertions", () => {
  it("after ttlMs, mocks are disabled, invoke returns 410, and the recorded calls can still be fetched", async () => {
    const { sessionId, expiresAt } = await session(respondTo("out", { body: "mocked" }, { ttlMs: 1_000 }));
    const replies: string[] = [];
    await eventually(async () => replies.push((await call(server.baseUrl, "POST", "/api/hook", "x")).text) > 0 && replies.at(-1) !== "mocked");
    expect(replies.pop()).toBe("real erp");
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    const invoked = await invoke(sessionId);
    expect([invoked.status, invoked.json]).toEqual([410, { error: `test session '${sessionId}' expired` }]);
    const named = await call(server.baseUrl, "POST", "/api/hook", "x", { "x-test-session": sessionId });
    expect([named.status, named.json]).toEqual([410, { error: `test session '${sessionId}' expired` }]);
    const closed = await close(sessionId);
    expect([closed.expired, closed.recordedCalls.length]).toEqual([true, Math.min(replies.length, sessionCalls)]);
    const after = await call(server.baseUrl, "POST", "/api/hook", "x", { "x-test-session": sessionId });
    expect([after.status, after.json]).toEqual([404, { error: `test session '${sessionId}' not found` }]);
  });

  it("closing a session evaluates the assertions it was opened with", async () => {
    const { sessionId } = await session({
      mocks: [{ id: "erp", match: { stepId: "call-erp" }, respond: { body: "x" } }],
      assertions: [
        { mockCalled: "erp" },
        { mockCalled: { mock: "erp", times: 2 } },
        { mockCalled: { mock: "erp", never: true } },
        { mockCalled: { mock: "erp", call: "first", with: { body: { id: "A-1" }, headers: { "x-src": "shop" } } } },
        { mockCalled: { mock: "erp", call: "last", with: { bodyEquals: { id: "A-1" } } } },
        { mockCalled: { mock: "erp", call: "all", with: { matches: "/A-\\d/" } } },
        { mockOrder: ["erp", "erp"] },
        { mockOrder: ["erp"] },
      ],
    });
    await invoke(sessionId, { body: { id: "A-1", more: 1 } });
    await invoke(sessionId, { body: { id: "A-2" } });
    const { assertions } = await close(sessionId);
    expect(assertions.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true, false, true, false, true, true, false]);
    expect(assertions[2].message).toBe("mock 'erp' was called 2 times, expected never");
    expect(assertions[4].message).toBe('mock \'erp\': call 2 had the body {"id":"A-2"}, expected {"id":"A-1"}');
  });

  it("sessions do not survive a restart", async () => {
    const other = await startTestServer();
    await other.putFlow("f", replyFlow("f", "real"));
    const { sessionId } = (await other.api("POST", "/test/session", { mocks: [{ match: { routeId: "f" }, respond: { body: "mocked" } }] })).json;
    await other.stop();
    const restarted = await startTestServer({ dataDir: other.dataDir });
    expect((await call(restarted.baseUrl, "POST", "/api/f", "x")).text).toBe("real");
    expect((await restarted.api("DELETE", `/test/session/${sessionId}`)).status).toBe(404);
    await restarted.end();
  });
});
