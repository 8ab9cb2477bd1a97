import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const properties = ["RouteId", "RouteEndpointUri", "ParentEndpointUri", "NodeId", "Endpoint"];
const report = properties.map((name) => `\${exchangeProperty[CamelIntercepted${name}]}`).join("|");

const bodies = (run: { readonly mocks: ReadonlyMap<string, readonly { readonly body: unknown }[]> }, name: string): unknown[] =>
  (run.mocks.get(name) ?? []).map(({ body }) => body);

function document(interceptor: string): string {
  return `
- ${interceptor}
- route: {id: outer, from: {uri: "direct:start", steps: [{to: {id: call, uri: "direct:inner"}}]}}
- route: {id: inner, from: {uri: "direct:inner", steps: [{to: {id: sink, uri: "mock:sink"}}]}}
`;
}
const recordingSteps = `steps: [{setProperty: {name: original, simple: "\${body}"}}, {setBody: {simple: "${report}"}}, {to: "mock:recorded"}, {setBody: {simple: "\${exchangeProperty.original}"}}]`;

describe("the properties of an intercepted message", () => {
  it("are set before every step", async () => {
    const run = await flow(document(`intercept: {${recordingSteps}}`));
    await run({ body: "m" });
    expect(bodies(run, "recorded")).toEqual(["outer|direct://start|direct://start|call|", "inner|direct://inner|direct://inner|sink|"]);
  });

  it("are set when the message enters a route", async () => {
    const run = await flow(document(`interceptFrom: {uri: "direct:inner", ${recordingSteps}}`));
    await run({ body: "m" });
    expect(bodies(run, "recorded")).toEqual(["inner|direct://inner|direct://inner||direct://inner"]);
  });

  it("are set before a send", async () => {
    const run = await flow(document(`interceptSendToEndpoint: {id: look, uri: "mock:sink", ${recordingSteps}}`));
    await run({ body: "m" });
    expect(bodies(run, "recorded")).toEqual(["inner|direct://inner|direct://inner|look|mock://sink"]);
    expect(bodies(run, "sink")).toEqual(["m"]);
  });
});

describe("onCompletion", () => {
  const completed = (id: string): string => `onCompletion: {steps: [{setBody: {simple: "${id} in \${routeId}, from \${fromRouteId}"}}, {to: "mock:done"}]}`;

  it("has the id of the route it runs in", async () => {
    const run = await flow(`
- routeConfiguration: {id: a, onCompletion: [{${completed("a")}}]}
- routeConfiguration: {id: b, onCompletion: [{${completed("b")}}]}
- route: {id: outer, routeConfigurationId: a, from: {uri: "direct:start", steps: [{to: "direct:inner"}, {to: "direct:deeper"}]}}
- route: {id: inner, routeConfigurationId: b, from: {uri: "direct:inner", steps: [{to: "direct:deeper"}]}}
- route: {id: deeper, routeConfigurationId: b, from: {uri: "direct:deeper", steps: [{log: deep}]}}
`);
    await run({ body: "m" });
    await run.host.clock.advance(0);
    expect(bodies(run, "done")).toEqual(["b in deeper, from outer", "b in deeper, from outer", "b in inner, from outer", "a in outer, from outer"]);
  });

  it("can use its route in its condition, and a failing condition affects no other run", async () => {
    const run = await flow(`
- onCompletion: {onWhen: {simple: "\${routeId} == 'inner'"}, steps: [{setBody: {simple: "\${routeId}"}}, {to: "mock:done"}]}
- onCompletion: {onWhen: {simple: "\${body.no.such}"}, steps: [{to: "mock:never"}]}
- route: {id: outer, from: {uri: "direct:start", steps: [{to: "direct:inner"}]}}
- route: {id: inner, from: {uri: "direct:inner", steps: [{setBody: {constant: changed}}]}}
`);
    expect(await run({ body: "m" })).toMatchObject({ body: "changed", error: undefined });
    await run.host.clock.advance(0);
    expect(bodies(run, "done")).toEqual(["inner"]);
    expect(bodies(run, "never")).toEqual([]);
  });
});
