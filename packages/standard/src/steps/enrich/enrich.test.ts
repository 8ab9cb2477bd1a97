import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";

const document = (enrich: string): string => `
- from: {uri: direct:start, steps: [{enrich: ${enrich}}, {to: "mock:after"}]}
- from: {uri: direct:reply, steps: [{setBody: {simple: "\${body}/\${exchange.pattern}"}}, {setHeader: {name: added, constant: x}}]}
- from: {uri: direct:bad, steps: [{setBody: {constant: half}}, {throwException: {exceptionType: java.lang.Exception, message: no}}]}
- from: {uri: direct:stops, steps: [{stop: {}}]}
`;

it("sends a copy that expects a reply, and does not change the pattern of the exchange", async () => {
  const run = await flow(document(`{constant: "direct:reply"}`));
  const { body, headers, exchange } = await run({ body: "m", headers: { mine: 1 }, delivery: { pattern: "InOnly" } });
  expect(body).toBe("m/InOut");
  expect(headers).toEqual({ mine: 1, added: "x" });
  expect(exchange.pattern).toBe("InOnly");
});

it("fails with the reply's failure and keeps the message", async () => {
  const run = await flow(document(`{constant: "direct:bad"}`));
  expect(await run({ body: "m" })).toMatchObject({ error: "no", body: "m" });
});

it("merges with a strategy, and calls it for failures with aggregateOnException", async () => {
  const original = "#class:org.apache.camel.processor.aggregate.UseOriginalAggregationStrategy";
  const withOriginal = await flow(document(`{constant: "direct:reply", aggregationStrategy: "${original}"}`));
  expect(await withOriginal({ body: "m" })).toMatchObject({ body: "m", headers: {} });
  const failed = await flow(
    document(
      `{constant: "direct:bad", aggregateOnException: true, aggregationStrategy: "#class:org.apache.camel.processor.aggregate.UseLatestAggregationStrategy"}`,
    ),
  );
  expect((await failed({ body: "m" })).error).toBe("no");
});

it("ends the exchange when the called route stopped", async () => {
  const run = await flow(document(`{constant: "direct:stops"}`));
  expect((await run({ body: "m" })).error).toBeUndefined();
  expect(run.mocks.size).toBe(0);
});

it("stores the reply in a variable", async () => {
  const run = await flow(document(`{constant: "direct:reply", variableReceive: answer}`));
  const { body, headers, exchange } = await run({ body: "m" });
  expect([body, headers, exchange.variable("answer"), exchange.variable("header:answer.added")]).toEqual(["m", {}, "m/InOut", "x"]);
});
