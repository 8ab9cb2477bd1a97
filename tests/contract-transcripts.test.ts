// Transcripts of the HTTP contract: a test session with a partner that fails once, idempotent webhooks, and the replies of flows.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { heldPartner } from "./held-partner.ts";
import { sha256 } from "./sha256.ts";
import { call, eventually, replyFlow, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer({ env: { SERVICE_EGRESS_ALLOW_PRIVATE: "true" } });
});
afterAll(() => server.end());

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const runId = expect.stringMatching(/^run_[0-9A-Z]{26}$/);

describe("a test session with a partner that fails once", () => {
  const flow = `- route:
    id: order-intake
    errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 1, redeliveryDelay: 0}}}
    from:
      uri: direct:orders
      steps:
        - to: {id: call-erp, uri: "http://erp/orders"}
`;
  const opening = {
    name: "erp down",
    ttlMs: 60_000,
    scope: "deployment",
    unmatched: "passthrough",
    time: "real",
    mocks: [
      {
        id: "erp",
        match: { stepId: "call-erp", routeId: "order-*" },
        sequence: [{ throw: { type: "Timeout", message: "erp slow" } }, { respond: { status: 201, headers: { "X-Id": "7" }, body: { ok: true }, delayMs: 5 } }],
        then: "last",
      },
      { match: { uri: "file:*" }, respond: {} },
      { match: { uri: "http*://crm*", flowId: "orders" }, throw: { type: "HttpOperationFailed", statusCode: 503, message: "down" }, times: 2 },
    ],
    assertions: [
      { mockCalled: "erp" },
      { mockCalled: { mock: "erp", times: 2 } },
      { mockCalled: { mock: "erp", call: "first", with: { body: { id: "A-1001" }, headers: { "X-Src": "shop" }, matches: String.raw`/A-\d+/` } } },
      { mockOrder: ["erp", "erp"] },
    ],
  };

  it("opens, invokes, retries and closes as in the transcript", async () => {
    expect((await server.putFlow("orders", flow)).status).toBe(201);
    const opened = await server.api("POST", "/test/session", opening);
    expect([opened.status, opened.json]).toEqual([
      201,
      expect.objectContaining({
        sessionId: expect.stringMatching(/^ts_/),
        ttlMs: 60_000,
        expiresAt: iso,
        mocks: expect.arrayContaining([{ id: "erp", steps: ["order-intake/call-erp"] }]),
      }),
    ]);
    const { sessionId } = opened.json as { sessionId: string };
    const request = { sessionId, trigger: "direct:orders", body: { id: "A-1001" }, headers: { "X-Src": "shop" }, pattern: "InOut", timeoutMs: 10_000 };
    const invoked = await server.api("POST", "/test/invoke", request);
    expect([invoked.status, invoked.json]).toEqual([
      200,
      {
        runId,
        status: "completed",
        body: { ok: true },
        bodyType: "json",
        headers: expect.objectContaining({ "X-Id": "7" }),
        durationMs: expect.any(Number),
        error: null,
      },
    ]);
    const common = {
      mockId: "erp",
      flowId: "orders",
      routeId: "order-intake",
      stepId: "call-erp",
      uri: "http://erp/orders",
      runId: invoked.json.runId,
      at: iso,
    };
    const seen = { body: { id: "A-1001" }, bodyType: "json", headers: expect.objectContaining({ "X-Src": "shop" }) };
    const calls = [
      { seq: 1, ...common, attempt: 1, request: seen, outcome: "threw", response: null, error: { type: "Timeout", message: "erp slow" } },
      {
        seq: 2,
        ...common,
        attempt: 2,
        request: seen,
        outcome: "responded",
        response: { status: 201, headers: { "X-Id": "7" }, body: { ok: true } },
        error: null,
      },
    ];
    const openSession = await server.api("GET", `/test/session/${sessionId}`);
    expect(openSession.json.recordedCalls).toEqual(calls);
    const closed = await server.api("DELETE", `/test/session/${sessionId}`);
    expect(closed.json).toMatchObject({ recordedCalls: calls, sessionId, expired: false, stale: [], truncated: false });
    expect(closed.json.assertions.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true, true, true]);
    expect((await server.api("GET", `/test/session/${sessionId}`)).json).toEqual({ error: `test session '${sessionId}' not found` });
  });
});

describe("idempotent webhooks", () => {
  const flow = (partnerUrl: string): string => `- route:
    id: pay
    from:
      uri: "webhook?idempotency=true"
      steps:
        - filter: {simple: "\${header.waits} == 'yes'", steps: [{to: "${partnerUrl}"}]}
        - setBody: {simple: "\${exchangeId}"}
`;
  const pay = (key: string, body: string, waits = "no") => call(server.baseUrl, "POST", "/api/pay", body, { "idempotency-key": key, waits });

  it("the same key and body give the stored reply, another body is 422, a run in progress 409", async () => {
    const partner = await heldPartner();
    expect((await server.putFlow("pay", flow(partner.url))).status).toBe(201);
    const first = await pay("k1", "a");
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null]);
    const repeated = await pay("k1", "a");
    expect([repeated.status, repeated.text, repeated.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"]);
    const other = await pay("k1", "b");
    expect([other.status, other.json]).toEqual([422, { error: "this Idempotency-Key was used with another body" }]);
    const slow = pay("k2", "a", "yes");
    await eventually(() => partner.waiting() === 1);
    const concurrent = await pay("k2", "a");
    expect([concurrent.status, concurrent.json]).toEqual([409, { error: "a request with this Idempotency-Key is still running" }]);
    partner.respond();
    expect((await slow).status).toBe(200);
    expect((await pay("k2", "a")).text).toBe((await slow).text);
    expect((await server.api("GET", "/runs?routeId=pay")).json.total).toBe(2);
    expect((await pay("k3", "a")).text).not.toBe(first.text);
    partner.close();
  });
});

describe("replies of flows", () => {
  it("a flow's PUT, list and DELETE have the members that the contract specifies", async () => {
    const yaml = replyFlow("fresh", "ok");
    const put = await server.putFlow("fresh", yaml);
    const hash = sha256(yaml);
    expect(put.json).toMatchObject({
      id: "fresh",
      created: true,
      hash,
      lastModified: iso,
      routeCount: 1,
      routes: [{ id: "fresh", from: "webhook", status: "Started", url: "/api/fresh" }],
      warnings: [],
    });
    expect(put.headers.get("etag")).toBe(`"${hash}"`);
    const { flows } = (await server.api("GET", "/flows")).json as { flows: { id: string }[] };
    expect(flows.find(({ id }) => id === "fresh")).toEqual({
      id: "fresh",
      file: "fresh.yaml",
      lastModified: put.json.lastModified,
      hash,
      routeCount: 1,
      status: "Started",
      routes: [{ id: "fresh", status: "Started" }],
      paramNames: [],
      hasPolicy: false,
      error: null,
    });
    expect((await server.api("DELETE", "/flows/fresh")).json).toEqual({ id: "fresh", deleted: true, routes: ["fresh"], drained: true });
  });
});
