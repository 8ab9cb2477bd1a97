import { diagnosticsOf, flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const grouped = `aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"`;
const fail = (message: string): string => `{throwException: {exceptionType: java.lang.Exception, message: ${message}}}`;

describe("multicast", () => {
  it("passes the original message to each branch and continues with the result of the last", async () => {
    const run = await flow(`
      - multicast:
          steps:
            - pipeline: {steps: [{setBody: {simple: "\${body}1"}}, {setHeader: {name: first, constant: x}}, {to: "mock:a"}]}
            - pipeline: {steps: [{setBody: {simple: "\${body}2"}}, {setVariable: {name: v, constant: V}}]}
    `);
    const { body, headers, exchange } = await run({ body: "m" });
    expect(body).toBe("m2");
    expect(headers).toEqual({});
    expect(exchange.variable("v")).toBe("V");
    expect(exchange.property("CamelMulticastIndex")).toBe(1);
    expect(exchange.property("CamelCorrelationId")).toBeUndefined();
    expect(run.mocks.get("a")?.[0]?.properties.get("CamelMulticastComplete")).toBe(false);
  });

  it("runs all branches before it fails, and keeps the message", async () => {
    const run = await flow(`
      - multicast: {steps: [${fail("one")}, {to: "mock:b"}, ${fail("three")}, {setBody: {constant: x}}]}
      - to: mock:after
    `);
    expect(await run({ body: "m" })).toMatchObject({ error: "three", body: "m" });
    expect([...run.mocks.keys()]).toEqual(["b"]);
  });

  it("skips the remaining branches after a failure with stopOnException", async () => {
    const run = await flow(`- multicast: {stopOnException: true, steps: [{to: "mock:a"}, ${fail("two")}, {to: "mock:c"}]}`);
    expect((await run()).error).toBe("two");
    expect([...run.mocks.keys()]).toEqual(["a"]);
  });

  it("ends the exchange when a branch's failure was handled", async () => {
    const run = await flow(`
      - onException: {exception: [java.lang.Exception], handled: {constant: "true"}, steps: [{setBody: {constant: saved}}]}
      - from:
          uri: direct:start
          steps:
            - multicast: {steps: [${fail("one")}, {to: "mock:b"}]}
            - to: mock:after
    `);
    expect(await run({ body: "m" })).toMatchObject({ error: undefined, body: "saved" });
    expect([...run.mocks.keys()]).toEqual(["b"]);
  });

  it("runs branches concurrently and merges in order", async () => {
    const run = await flow(`
      - multicast:
          parallelProcessing: true
          ${grouped}
          steps: [{pipeline: {steps: [{delay: {constant: "200"}}, {setBody: {constant: slow}}]}}, {setBody: {constant: quick}}]
    `);
    const pending = run();
    await run.host.clock.advance(200);
    expect((await pending).body).toEqual(["slow", "quick"]);
  });

  it("stops only the branch with the stop step", async () => {
    const run = await flow(`
      - multicast: {steps: [{to: "mock:a"}, {pipeline: {steps: [{stop: {}}, {to: "mock:never"}]}}]}
      - to: mock:after
    `);
    await run();
    expect([...run.mocks.keys()]).toEqual(["a", "after"]);
  });

  it("counts every copy toward the limit of exchanges", async () => {
    const run = await flow(`- loop: {constant: "3", steps: [{multicast: {steps: [{setBody: {constant: a}}, {setBody: {constant: b}}]}}]}`);
    const { exchange } = await run();
    expect(exchange.run.root.spawned).toBe(6);
  });

  it.each([
    `multicast: {timeout: 100, steps: [{to: "mock:a"}]}`,
    `split: {tokenize: ",", timeout: 100, steps: [{to: "mock:a"}]}`,
    `recipientList: {constant: "mock:a", timeout: 100}`,
  ])("requires parallelProcessing for a timeout: %s", (step) => {
    expect(diagnosticsOf(`- ${step}`)).toEqual([expect.stringContaining("timeout requires parallelProcessing")]);
    expect(diagnosticsOf(`- ${step.replace("timeout: 100", "timeout: 100, parallelProcessing: true")}`)).toEqual([]);
  });
});
