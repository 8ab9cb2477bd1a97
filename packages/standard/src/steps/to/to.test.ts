import { diagnosticsOf, flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const service = `
- from:
    uri: direct:service
    steps:
      - to: mock:service
      - setHeader: {name: color, constant: red}
      - transform: {simple: "R(\${body})"}
`;

describe("to", () => {
  it("sends a variable and stores the reply in another, keeping the message", async () => {
    const run = await flow(`
- from:
    uri: direct:start
    steps:
      - setVariable: {name: payload, constant: P}
      - to: {uri: direct:service, variableSend: payload, variableReceive: answer}
${service}`);
    const { body, headers, exchange } = await run({ body: "mine" });
    expect(body).toBe("mine");
    expect(headers).toEqual({});
    expect(exchange.variable("answer")).toBe("R(P)");
    expect(exchange.variable("header:answer.color")).toBe("red");
    expect(run.mocks.get("service")?.[0]?.body).toBe("P");
  });

  it("uses the reply as the body with variableSend only", async () => {
    const run = await flow(`
- from:
    uri: direct:start
    steps:
      - setVariable: {name: "global:payload", constant: G}
      - to: {uri: direct:service, variableSend: "global:payload"}
${service}`);
    expect(await run({ body: "mine" })).toMatchObject({ body: "R(G)", headers: { color: "red" } });
    expect(run.host.globals.get("payload")).toBe("G");
  });

  it("stores nothing when the call fails", async () => {
    const run = await flow(`
- from: {uri: direct:start, steps: [{to: {uri: direct:bad, variableReceive: answer}}]}
- from: {uri: direct:bad, steps: [{setBody: {constant: half}}, {throwException: {exceptionType: java.lang.Exception, message: no}}]}
`);
    const { error, exchange } = await run({ body: "mine" });
    expect(error).toBe("no");
    expect(exchange.variables?.has("answer") ?? false).toBe(false);
  });

  it("changes the pattern for the call only, even when the call fails", async () => {
    const run = await flow(`
- from:
    uri: direct:start
    steps:
      - doTry: {steps: [{to: {uri: direct:bad, pattern: InOnly}}], doCatch: [{exception: [java.lang.Exception], steps: [{setHeader: {name: after, simple: "\${exchange.pattern}"}}]}]}
- from: {uri: direct:bad, steps: [{setHeader: {name: inside, simple: "\${exchange.pattern}"}}, {throwException: {exceptionType: java.lang.Exception, message: no}}]}
`);
    expect((await run({ delivery: { pattern: "InOut" } })).headers).toMatchObject({ inside: "InOnly", after: "InOut" });
  });

  it("rejects an unknown endpoint at deploy time", () => {
    expect(diagnosticsOf("- to: nowhere:x").join()).toContain("nowhere");
  });
});
