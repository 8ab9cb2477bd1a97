import { diagnosticsOf, flow } from "@sluice/testkit";
import { Message } from "@sluice/engine";
import { describe, expect, it } from "vitest";

const grouped = `aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"`;
const bodies = (received: readonly { readonly body: unknown }[] | undefined): readonly unknown[] => (received ?? []).map(({ body }) => body);
const failOn = (word: string): string =>
  `{filter: {simple: "\${body} == '${word}'", steps: [{throwException: {exceptionType: java.lang.IllegalStateException, message: "bad \${body}"}}]}}`;

describe("split", () => {
  it("numbers the parts, sets their count in advance, and leaves the message unchanged", async () => {
    const run = await flow(`- split: {simple: "\${body}", steps: [{setBody: {constant: changed}}, {setHeader: {name: leak, constant: x}}, {to: "mock:part"}]}`);
    const { body, headers, exchange } = await run({ body: "a,b,c" });
    expect(body).toBe("a,b,c");
    expect(headers).toEqual({});
    expect(exchange.properties?.has("CamelSplitIndex") ?? false).toBe(false);
    const parts = run.mocks.get("part") ?? [];
    expect(parts.map(({ properties }) => [properties.get("CamelSplitIndex"), properties.get("CamelSplitSize"), properties.get("CamelSplitComplete")])).toEqual([
      [0, 3, false],
      [1, 3, false],
      [2, 3, true],
    ]);
    expect(parts.every(({ properties }) => properties.get("CamelCorrelationId") === exchange.id)).toBe(true);
  });

  it("sets the count only at the end when streaming", async () => {
    const run = await flow(`- split: {simple: "\${body}", streaming: true, steps: [{to: "mock:part"}]}`);
    await run({ body: ["a", "b"].values() });
    expect(run.mocks.get("part")?.map(({ properties }) => properties.get("CamelSplitSize"))).toEqual([undefined, 2]);
  });

  it("reads asynchronous streams part by part", async () => {
    const run = await flow(`- split: {simple: "\${body}", streaming: true, ${grouped}, steps: [{setBody: {simple: "\${body}!"}}]}`);
    const stream = (async function* () {
      for (const word of ["a", "b", "c"]) yield word;
    })();
    expect((await run({ body: stream })).body).toEqual(["a!", "b!", "c!"]);
  });

  it.each([
    "streaming: true",
    "stopOnException: true",
    "stopOnException: true, parallelProcessing: true",
    "stopOnException: true, group: 2",
    "maxFailedRecords: 1",
  ])("closes an asynchronous stream after a failure, with %s", async (options) => {
    const run = await flow(
      `- split: {simple: "\${body}", ${options}, steps: [{throwException: {exceptionType: java.lang.IllegalStateException, message: bad}}]}`,
    );
    let isClosed = false;
    const stream = (async function* () {
      try {
        for (let word = 0; word < 20; word++) yield word;
      } finally {
        isClosed = true;
      }
    })();
    expect((await run({ body: stream })).error).toBeDefined();
    expect(isClosed).toBe(true);
  });

  it("lets the other parts run and fails with the last failure", async () => {
    const run = await flow(`
      - split: {simple: "\${body}", steps: [${failOn("b")}, ${failOn("c")}, {to: "mock:part"}]}
      - to: mock:after
    `);
    expect((await run({ body: "a,b,c,d" })).error).toBe("bad c");
    expect(bodies(run.mocks.get("part"))).toEqual(["a", "d"]);
    expect(run.mocks.has("after")).toBe(false);
  });

  it("stops at the first failure with stopOnException and keeps the message", async () => {
    const run = await flow(`- split: {simple: "\${body}", stopOnException: true, steps: [${failOn("b")}, {to: "mock:part"}]}`);
    const { error, body } = await run({ body: "a,b,c" });
    expect([error, body]).toEqual(["bad b", "a,b,c"]);
    expect(bodies(run.mocks.get("part"))).toEqual(["a"]);
  });

  it("merges in order, or in completion order with streaming", async () => {
    const run = await flow(`- split: {simple: "\${body}", parallelProcessing: true, ${grouped}, steps: [{delay: {simple: "\${body}"}}]}`);
    const pending = run({ body: "300,100,200" });
    await run.host.clock.advance(300);
    expect((await pending).body).toEqual(["300", "100", "200"]);
    const inCompletionOrder = await flow(
      `- split: {simple: "\${body}", parallelProcessing: true, streaming: true, ${grouped}, steps: [{delay: {simple: "\${body}"}}]}`,
    );
    const pendingInCompletionOrder = inCompletionOrder({ body: "300,100,200" });
    await inCompletionOrder.host.clock.advance(300);
    expect((await pendingInCompletionOrder).body).toEqual(["100", "200", "300"]);
  });

  it("runs at most ten parts concurrently", async () => {
    const run = await flow(`- split: {simple: "\${body}", parallelProcessing: true, steps: [{to: "mock:started"}, {delay: {constant: "100"}}]}`);
    const pending = run({ body: Array.from({ length: 25 }, (_, index) => index) });
    await run.host.clock.advance(50);
    expect(run.mocks.get("started")).toHaveLength(10);
    await run.host.clock.advance(100);
    expect(run.mocks.get("started")).toHaveLength(20);
    await run.host.clock.advance(200);
    expect((await pending).error).toBeUndefined();
    expect(run.mocks.get("started")).toHaveLength(25);
  });

  it("omits parts that exceed the timeout, and leaves no timer", async () => {
    const run = await flow(`- split: {simple: "\${body}", parallelProcessing: true, timeout: 200, ${grouped}, steps: [{delay: {simple: "\${body}"}}]}`);
    const pending = run({ body: "50,1000,100" });
    await run.host.clock.advance(200);
    expect((await pending).body).toEqual(["50", "100"]);
    await run.host.clock.advance(1000);
    expect(run.host.clock.pending).toBe(0);
  });

  it("groups parts into lists", async () => {
    const run = await flow(`- split: {simple: "\${body}", group: 2, steps: [{to: "mock:part"}]}`);
    await run({ body: ["a", "b", "c"] });
    expect(bodies(run.mocks.get("part"))).toEqual([["a", "b"], ["c"]]);
    expect(run.mocks.get("part")?.[0]?.properties.get("CamelSplitSize")).toBe(2);
  });

  it("tolerates failures below a number or ratio, and fails when it is reached", async () => {
    const byNumber = await flow(`- split: {simple: "\${body}", maxFailedRecords: 2, steps: [${failOn("x")}, {to: "mock:part"}]}`);
    expect((await byNumber({ body: "a,x,b" })).error).toBeUndefined();
    expect((await byNumber({ body: "x,c,x,d" })).error).toBe("split stopped: 2 of 3 parts failed");
    expect(bodies(byNumber.mocks.get("part"))).toEqual(["a", "b", "c"]);
    const byRatio = await flow(`- split: {simple: "\${body}", errorThreshold: 0.5, steps: [${failOn("x")}]}`);
    expect((await byRatio({ body: "a,b,x" })).error).toBeUndefined();
    expect((await byRatio({ body: "x,a,b" })).error).toBe("split stopped: 1 of 1 parts failed");
    expect(diagnosticsOf(`- split: {simple: "\${body}", errorThreshold: 0.5, stopOnException: true, steps: [{stop: {}}]}`).join()).toContain(
      "cannot be used with",
    );
  });

  it("merges with an expression", async () => {
    const run = await flow(
      `- split: {simple: "\${body}", aggregationExpression: {simple: "\${variable.aggregate}[\${body}]"}, steps: [{setBody: {simple: "\${body}!"}}]}`,
    );
    const { body, exchange } = await run({ body: "a,b,c" });
    expect(body).toBe("[a!][b!][c!]");
    expect(exchange.variables?.has("aggregate") ?? false).toBe(false);
  });

  it("uses parts that are messages as they are, with their own headers", async () => {
    const run = await flow(`- split: {simple: "\${body}", steps: [{to: "mock:part"}]}`);
    await run({ body: [new Message("inner")], headers: { outer: 1 } });
    expect(run.mocks.get("part")?.[0]).toMatchObject({ body: "inner", headers: {} });
  });

  it("creates no promise for synchronous parts", async () => {
    const run = await flow(`- split: {simple: "\${body}", steps: [{setBody: {constant: x}}]}`);
    expect(run.runtime.routeInputOf("direct:start")?.deliver(new Message("a,b,c"))).not.toBeInstanceOf(Promise);
  });
});
