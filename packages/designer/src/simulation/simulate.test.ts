import { expect, test } from "vitest";
import { simulate, type Sample, type SimulationRequest } from "./simulate.ts";
import { simulateTests } from "./simulate-tests.ts";

const flow = (steps: string, from = "direct:start", before = ""): string => `${before}- route:
    id: r
    from:
      uri: ${from}
      steps:
${steps.replaceAll(/^/gm, "        ")}
`;
const run = (source: string, sample: Partial<Sample> = {}, more: Partial<SimulationRequest> = {}) =>
  simulate({ flowId: "f", source, mocks: [], sample: { routeId: "r", body: "hi", headers: {}, ...sample }, ...more });

test("every step records the message before and after it", async () => {
  const { steps, outcome, input } = await run(
    flow('- setHeader: {name: a, constant: "1"}\n- setBody: {simple: "${body} ${header.a}"}\n- setVariable: {name: v, constant: x}'),
  );
  expect(input).toMatchObject({ body: "hi", headers: {} });
  expect(steps.map(({ stepId, before, after }) => [stepId, before.body, after?.body, after?.headers, after?.variables])).toEqual([
    ["setHeader1", "hi", "hi", { a: "1" }, {}],
    ["setBody1", "hi", "hi 1", { a: "1" }, {}],
    ["setVariable1", "hi 1", "hi 1", { a: "1" }, { v: "x" }],
  ]);
  expect(outcome).toMatchObject({ status: "completed", body: "hi 1", error: null });
});

test("only the executed branch has steps, with their positions", async () => {
  const source = flow(
    "- choice:\n    when:\n      - {simple: \"${body} == 'no'\", steps: [{setBody: {constant: never}}]}\n    otherwise: {steps: [{setBody: {constant: other}}]}",
  );
  const { steps } = await run(source);
  expect(steps.map(({ stepId }) => stepId)).toEqual(["choice1", "setBody2"]);
  expect(source.slice(steps[1]?.offset)).toMatch(/^\{?setBody: \{constant: other\}/);
});

test("a failed step reports its failure, and later steps are not executed", async () => {
  const { steps, outcome } = await run(flow("- throwException: {exceptionType: java.io.IOException, message: broken}\n- setBody: {constant: never}"));
  expect(steps.map(({ stepId, error }) => [stepId, error?.message])).toEqual([["throwException1", "broken"]]);
  expect(outcome).toMatchObject({ status: "failed", error: { type: "java.io.IOException", message: "broken", stepId: "throwException1" } });
});

test("external calls return their mock response; without one the message continues unchanged and the step is marked", async () => {
  const source = flow("- to: {id: call, uri: 'http://erp.invalid/orders'}\n- to: {id: keep, uri: 'file:out'}");
  const { steps, calls, outcome } = await run(source, {}, { mocks: [{ id: "erp", match: { stepId: "call" }, respond: { status: 201, body: { ok: true } } }] });
  expect(steps.map(({ stepId, mock, unmocked, after }) => [stepId, mock, unmocked, after?.body])).toEqual([
    ["call", "erp", false, { ok: true }],
    ["keep", undefined, true, { ok: true }],
  ]);
  expect(calls).toMatchObject([{ mockId: "erp", stepId: "call", uri: "http://erp.invalid/orders", request: { body: "hi" } }]);
  expect(outcome?.body).toEqual({ ok: true });
});

test("a webhook responds as on the runtime", async () => {
  const source = flow('- setHeader: {name: CamelHttpResponseCode, constant: "201"}\n- setBody: {simple: "${header.X-Who} ${header.q}"}', "webhook");
  const { outcome, input } = await run(source, { body: '{"a":1}', headers: { "X-Who": "Ada", "Content-Type": "application/json" }, query: "q=2" });
  expect(outcome?.reply).toMatchObject({ status: 201, body: "Ada 2" });
  expect(input).toMatchObject({ body: '{"a":1}', bodyType: "bytes", headers: { "X-Who": "Ada", q: "2", CamelHttpMethod: "POST" } });
  expect((await run(source, { method: "GET" })).diagnostics).toMatchObject([{ message: "GET /api/r matches no route" }]);
});

// In real time it would take longer than a test may take.
test("delays and retries wait on the simulated clock", async () => {
  const before =
    '- onException:\n    exception: [java.io.IOException]\n    redeliveryPolicy: {maximumRedeliveries: "3", redeliveryDelay: "600000"}\n    handled: {constant: "true"}\n    steps: [{setBody: {constant: given up}}]\n';
  const { steps, outcome } = await run(
    flow("- delay: {constant: '60000'}\n- to: {id: out, uri: 'http://x.invalid'}", "direct:start", before),
    {},
    {
      mocks: [{ id: "m", match: { stepId: "out" }, throw: { type: "java.io.IOException" } }],
    },
  );
  expect(steps.filter(({ stepId }) => stepId === "out").map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  expect(outcome).toMatchObject({ status: "completed", body: "given up" });
});

test("a run that would exceed its time limit is cancelled", async () => {
  const { outcome } = await run(flow("- delay: {constant: '3600000'}"));
  expect(outcome).toMatchObject({ status: "cancelled" });
});

test("an invalid flow and an unknown route are reported; a placeholder without a value is replaced with its name", async () => {
  const broken = await run(flow("- setBdy: {constant: x}"));
  expect(broken.diagnostics).toMatchObject([{ span: { line: 6 } }]);
  expect(broken.diagnostics[0]?.message).toContain("unknown step 'setBdy'");
  expect((await run("- route: [")).diagnostics.length).toBeGreaterThan(0);
  const unresolved = await run(flow("- setBody: {constant: '{{erp.url}}'}"));
  expect([unresolved.unresolvedParameters, unresolved.outcome?.body]).toEqual([["erp.url"], "erp.url"]);
  expect((await run(flow("- setBody: {constant: '{{erp.url:x}}'}"))).unresolvedParameters).toEqual([]);
  expect((await run(flow("- log: x"), { routeId: "other" })).diagnostics[0]?.message).toBe("unknown route 'other'");
});

test("tables and mapping documents of the workspace are used", async () => {
  const tables = { uom: "columns: [from, to]\nrows: [[ST, piece]]\n" };
  const mapped = await run(flow("- to: value-mapping:uom"), { body: "ST" }, { tables });
  expect(mapped.outcome).toMatchObject({ status: "completed", body: "piece" });
  const missing = await run(flow("- to: value-mapping:nope"), { body: "ST" }, { tables });
  expect(missing.outcome?.status).toBe("failed");
});

test("the number of recorded steps is limited", async () => {
  const { steps, omittedSteps } = await run(flow("- loop:\n    constant: '2000'\n    steps: [{log: x}]"));
  expect(steps.length).toBe(500);
  expect(omittedSteps).toBeGreaterThan(1_000);
});

test("tests run on the current text", async () => {
  const text = `flowId: f
tests:
  - name: good
    mocks: [{id: erp, match: {stepId: call}, respond: {body: {ok: true}}}]
    when: {webhook: r, body: {id: 1}}
    then: [{status: completed}, {reply: {status: 200, body: {ok: true}}}, {mockCalled: {mock: erp, times: 1, with: {jsonpath: {$.id: 1}}}}, {visited: [call]}, {logged: {contains: seen}}]
  - name: bad
    when: {webhook: r}
    then: [{reply: {body: {ok: false}}}, {mockCalled: erp}]
`;
  const source = flow("- log: seen\n- to: {id: call, uri: 'http://x.invalid'}", "webhook");
  const [result] = await simulateTests({ flowId: "f", source, files: [{ id: "a", text }] });
  expect(result?.tests.map(({ name, failures, visited }) => [name, failures, visited])).toEqual([
    ["good", [], ["r/log1", "r/call"]],
    [
      "bad",
      [expect.stringContaining('expected a reply that contains {"ok":false}'), "mock 'erp' was called 0 times, expected at least 1"],
      ["r/log1", "r/call"],
    ],
  ]);
  const [wrong] = await simulateTests({ flowId: "f", source, files: [{ id: "b", text: "flowId: f\ntests: [{nam: x}]" }] });
  expect(wrong?.problems[0]).toContain("line 2");
});

test("connectors and connections of the runtime are simulated by name", async () => {
  const runtimeConnectors = { connectors: [{ scheme: "kafka", aliases: [], roles: ["source", "sink"] as const }], classes: ["org.example.DataSource"] };
  const beans = "- beans: [{name: ds, type: org.example.DataSource, properties: {url: x}}]\n";
  const source = flow('- to: {id: send, uri: "kafka:orders?brokers=b:9092"}\n- setBody: {constant: after}', "kafka:in", beans);
  const { outcome, steps, diagnostics } = await run(source, {}, { runtimeConnectors });
  expect([diagnostics, outcome, steps[0]]).toMatchObject([[], { status: "completed", body: "after" }, { stepId: "send" }]);
  expect((await run(source)).diagnostics[0]?.message).toContain("org.example.DataSource");
});
