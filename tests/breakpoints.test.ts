// Breakpoints on live routes: one message is held, others pass, changes take effect, and nothing is held for long.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { call, startTestServer, type ApiReply, type StartedServer } from "./started-server.ts";

let server: StartedServer;

beforeAll(async () => {
  server = await startTestServer({ env: { SERVICE_BREAKPOINTS: "true" } });
  for (const id of ["orders", "leased", "limited", "replaced", "stopped"]) await server.putFlow(id, twoRoutes(id));
});

afterAll(() => server.end());

const twoRoutes = (id: string): string => `- route:
    id: ${id}
    from:
      uri: webhook
      steps:
        - unmarshal: {id: parse, json: {}}
        - to: {id: ask, uri: "direct:${id}-price"}
        - setHeader: {id: note, name: X-Note, simple: "\${body[order]}"}
        - marshal: {id: write, json: {}}
- route:
    id: ${id}-price
    from:
      uri: direct:${id}-price
      steps:
        - setProperty: {id: mark, name: seen, constant: "yes"}
`;

/** Waits until the expectations hold. */
const waitFor = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 120_000, interval: 20 });

const post = (id: string, order: string, extra: object = {}): Promise<ApiReply> =>
  call(server.baseUrl, "POST", `/api/${id}`, JSON.stringify({ order, ...extra }), { "Content-Type": "application/json" });

async function watch(flowId: string, breakpoints: readonly object[] = [{ routeId: flowId, stepId: "ask" }], extra: object = {}): Promise<string> {
  const { status, json } = await server.api("POST", "/breakpoints", { flowId, breakpoints, ...extra });
  expect({ status, state: json.state }).toEqual({ status: 201, state: "armed" });
  return json.sessionId;
}

const readSession = async (id: string): Promise<any> => (await server.api("GET", `/breakpoints/${id}`)).json;

async function waitUntilHeld(id: string): Promise<any> {
  let session: any;
  await waitFor(async () => {
    session = await readSession(id);
    expect(session.state).toBe("held");
  });
  return session.held;
}

describe("a breakpoint", () => {
  it("holds the first message that reaches it; others pass, and it continues with a changed body", async () => {
    const id = await watch("orders");
    const first = post("orders", "A-1", { password: "hunter2", lines: [{ sku: "a" }] });
    const { routeId, stepId, runId, message } = await waitUntilHeld(id);
    expect({ routeId, stepId }).toEqual({ routeId: "orders", stepId: "ask" });
    expect(message).toMatchObject({ body: { order: "A-1", password: "***", lines: [{ sku: "a" }] }, bodyType: "json", truncated: false });
    expect((await post("orders", "A-2")).json).toEqual({ order: "A-2" });

    const change = { body: { ...message.body, order: "A-9", lines: [{ sku: "b" }] }, headers: { "X-Debugged": "yes" } };
    expect((await server.api("POST", `/breakpoints/${id}/continue`, change)).json.state).toBe("running");
    // The masked value is still the original one.
    expect((await first).json).toEqual({ order: "A-9", password: "hunter2", lines: [{ sku: "b" }] });
    await waitFor(async () => expect(await readSession(id)).toMatchObject({ state: "ended", reason: "the run ended" }));
    expect((await server.api("GET", `/runs/${runId}`)).json).toMatchObject({ status: "completed" });
    await waitFor(() => expect(server.logText()).toMatch(/Message continues at step 'ask' with changed body, header 'X-Debugged'/));
  });

  it("moves step by step, into called routes, for this message only", async () => {
    const id = await watch("orders");
    const reply = post("orders", "B-1");
    const seen = [(await waitUntilHeld(id)).stepId];
    for (const expected of ["mark", "note", "write"]) {
      await server.api("POST", `/breakpoints/${id}/step`);
      await waitFor(async () => expect((await readSession(id)).held?.stepId).toBe(expected));
      seen.push(expected);
      expect((await post("orders", "B-2")).json).toEqual({ order: "B-2" });
    }
    await server.api("POST", `/breakpoints/${id}/continue`);
    expect(seen).toEqual(["ask", "mark", "note", "write"]);
    expect((await reply).json).toEqual({ order: "B-1" });
  });

  it("stops the message without running the rest of the route", async () => {
    const id = await watch("orders");
    const reply = post("orders", "C-1");
    const { runId } = await waitUntilHeld(id);
    expect((await server.api("POST", `/breakpoints/${id}/abort`)).status).toBe(200);
    expect((await reply).status).toBe(503);
    const run = (await server.api("GET", `/runs/${runId}`)).json;
    expect(run).toMatchObject({ status: "cancelled" });
    expect(run.steps.map(({ stepId }: { stepId: string }) => stepId)).toEqual(["parse"]);
  });

  it("holds only messages that meet its condition, after skipping the given number of them", async () => {
    const id = await watch("orders", [{ routeId: "orders", stepId: "ask", when: "${body[vip]} == true", skip: 1 }]);
    expect((await post("orders", "D-1")).status).toBe(200);
    expect((await post("orders", "D-2", { vip: true })).status).toBe(200);
    const reply = post("orders", "D-3", { vip: true });
    expect((await waitUntilHeld(id)).message.body.order).toBe("D-3");
    expect((await readSession(id)).breakpoints).toMatchObject([{ hits: 2 }]);
    await server.api("DELETE", `/breakpoints/${id}`);
    expect((await reply).json.order).toBe("D-3");
  });

  it("lets the message continue unchanged when the flow is replaced or the route stopped", async () => {
    const id = await watch("replaced");
    const reply = post("replaced", "E-1");
    await waitUntilHeld(id);
    expect((await server.putFlow("replaced", twoRoutes("replaced").replace("X-Note", "X-Other"))).status).toBe(200);
    expect((await reply).json).toEqual({ order: "E-1" });
    expect(await readSession(id)).toMatchObject({ state: "ended", reason: "the flow was replaced or removed" });

    const other = await watch("stopped");
    const second = post("stopped", "E-2");
    await waitUntilHeld(other);
    await server.api("POST", "/routes/stopped/stop");
    expect((await second).json).toEqual({ order: "E-2" });
    expect(await readSession(other)).toMatchObject({ reason: "the route was stopped" });
  });

  it("does not affect the route after its session was removed", async () => {
    const id = await watch("orders");
    await server.api("DELETE", `/breakpoints/${id}`);
    expect((await post("orders", "F-1")).json).toEqual({ order: "F-1" });
    expect(await readSession(id)).toMatchObject({ state: "ended", reason: "removed by the client", runId: null });
  });
});

describe("limits", () => {
  it.each([
    ["when the client of its session stops polling", { breakpointLeaseMs: 600 }, /Breakpoints removed: the client sent no request within the lease/],
    ["after the maximum hold time", { breakpointLeaseMs: 600_000, breakpointHoldMs: 300 }, /held for the maximum time/],
  ])("a held message continues %s", async (_, limits, logged) => {
    const short = await startTestServer({ env: { SERVICE_BREAKPOINTS: "true" }, limits });
    try {
      await short.putFlow("leased", twoRoutes("leased"));
      await short.api("POST", "/breakpoints", { flowId: "leased", breakpoints: [{ routeId: "leased", stepId: "ask" }] });
      expect((await call(short.baseUrl, "POST", "/api/leased", '{"order":"G"}')).json).toEqual({ order: "G" });
      await waitFor(() => expect(short.logText()).toMatch(logged));
    } finally {
      await short.end();
    }
  });

  it("stopping the runtime releases a held message", async () => {
    const other = await startTestServer({ env: { SERVICE_BREAKPOINTS: "true" } });
    await other.putFlow("ending", twoRoutes("ending"));
    const { sessionId } = (await other.api("POST", "/breakpoints", { flowId: "ending", breakpoints: [{ routeId: "ending", stepId: "ask" }] })).json;
    const reply = call(other.baseUrl, "POST", "/api/ending", '{"order":"H"}');
    await waitFor(async () => expect((await other.api("GET", `/breakpoints/${sessionId}`)).json.state).toBe("held"));
    await other.end();
    expect((await reply).json).toEqual({ order: "H" });
  });

  it("at most four sessions are open, and invalid requests are rejected with a reason", async () => {
    const ids = [];
    for (let count = 0; count < 4; count++) ids.push(await watch("limited"));
    const error = await server.api("POST", "/breakpoints", { flowId: "limited", breakpoints: [{ routeId: "limited", stepId: "ask" }] });
    const text = "at most 4 breakpoint sessions can be open: end one, or try again later";
    expect([error.status, error.json.error, error.headers.get("retry-after")]).toEqual([429, text, "15"]);
    for (const id of ids) await server.api("DELETE", `/breakpoints/${id}`);

    const open = (flowId: string, breakpoint: object): Promise<ApiReply> => server.api("POST", "/breakpoints", { flowId, breakpoints: [breakpoint] });
    const replies = [
      await open("absent", { routeId: "a", stepId: "b" }),
      await open("limited", { routeId: "other", stepId: "ask" }),
      await open("limited", { routeId: "limited", stepId: "to1" }),
      await open("limited", { routeId: "limited", stepId: "ask", when: "${body" }),
      await server.api("GET", "/breakpoints/bp_unknown"),
    ];
    expect(replies.map(({ status, json }) => [status, json.error])).toEqual([
      [404, "flow 'absent' not found"],
      [422, "flow 'limited' has no route 'other'"],
      [422, "route 'limited' has no step 'to1'"],
      [400, expect.stringContaining("is not a valid simple expression")],
      [404, "breakpoint session 'bp_unknown' not found"],
    ]);
    const idle = await watch("limited");
    const idleReply = await server.api("POST", `/breakpoints/${idle}/continue`);
    expect([idleReply.status, idleReply.json.error]).toEqual([409, `breakpoint session '${idle}' holds no message`]);
    await server.api("DELETE", `/breakpoints/${idle}`);
  });

  it("a runtime rejects breakpoints unless they are enabled, and any call without the token", async () => {
    const plain = await startTestServer();
    try {
      await plain.putFlow("orders", twoRoutes("orders"));
      const body = { flowId: "orders", breakpoints: [{ routeId: "orders", stepId: "ask" }] };
      const { status, json } = await plain.api("POST", "/breakpoints", body);
      expect([status, json.error]).toEqual([403, "breakpoints are disabled on this runtime: start it with SERVICE_BREAKPOINTS=true"]);
      expect((await call(server.baseUrl, "POST", "/_api/breakpoints", JSON.stringify(body))).status).toBe(401);
    } finally {
      await plain.end();
    }
  });
});
