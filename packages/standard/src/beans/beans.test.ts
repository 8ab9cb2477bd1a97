import { exchangeOf, FakeHost, diagnosticsOf, flow } from "@sluice/testkit";
import { FlowError, ending, type Exchange } from "@sluice/engine";
import { describe, expect, it } from "vitest";
import type { AggregationStrategy } from "./aggregation-strategy.ts";
import { beans } from "./index.ts";
import { memoryIdempotentRepository } from "./memory-idempotent-repository.ts";

const unavailable = (): never => {
  throw new Error("no flow");
};
const noScope = { flowId: "f", name: "test", bean: unavailable, connection: unavailable };
const make = (name: string, properties: Readonly<Record<string, unknown>> = {}): AggregationStrategy =>
  beans.find(({ names }) => names.includes(name))?.create(properties, new FakeHost(), noScope) as AggregationStrategy;
const merge = (strategy: AggregationStrategy, ...messages: readonly Exchange[]): Exchange => {
  const original = exchangeOf("original");
  let result: Exchange | undefined;
  for (const message of messages) result = strategy.aggregate(result, message, original);
  strategy.complete?.(result as Exchange);
  return result as Exchange;
};
const failed = (message: string): Exchange => Object.assign(exchangeOf("half"), { failure: new FlowError("java.lang.Exception", message) });

describe("strategies", () => {
  it("and all other beans have unique names; the first name is that of a Java class", () => {
    const names = beans.flatMap((bean) => bean.names);
    expect(new Set(names).size).toBe(names.length);
    // Comparators are named after Java objects.
    for (const bean of beans) expect(bean.names[0]).toMatch(bean.kind === "comparator" ? /^java\./ : /^org\.apache\.camel\./);
  });

  it("use the latest message, but keep a failure", () => {
    const latest = make("useLatest");
    expect(merge(latest, exchangeOf("a"), exchangeOf("b")).message.body).toBe("b");
    const result = merge(latest, failed("first"), exchangeOf("b"));
    expect([result.message.body, result.failure?.message]).toEqual(["b", "first"]);
    const handled = Object.assign(exchangeOf("saved"), { ending: ending.handled });
    expect(merge(latest, handled, exchangeOf("b")).message.body).toBe("saved");
  });

  it("use the original message, with the last failure or without any", () => {
    const result = merge(make("useOriginal", { propagateException: true }), failed("one"), exchangeOf("b"), failed("three"));
    expect([result.message.body, result.failure?.message]).toEqual(["original", "three"]);
    expect(merge(make("useOriginal", { propagateException: false }), failed("one")).failure).toBeUndefined();
  });

  it("collect bodies in order, without nulls, in the first message", () => {
    const first = exchangeOf("a", { h: "first" });
    const result = merge(make("groupedBody"), first, exchangeOf(null), exchangeOf("c", { h: "last" }));
    expect(result).toBe(first);
    expect([result.message.body, result.message.headers.get("h"), result.property("CamelGroupedExchange")]).toEqual([["a", "c"], "first", undefined]);
  });

  it("collect copies of complete messages", () => {
    const list = merge(make("groupedMessage"), exchangeOf("a", { h: 1 }), exchangeOf("b")).message.body as readonly { readonly body: unknown }[];
    expect(list.map(({ body }) => body)).toEqual(["a", "b"]);
  });

  it("join text with a literal delimiter", () => {
    expect(merge(make("joinText", { delimiter: ", " }), exchangeOf("a"), exchangeOf(null), exchangeOf(7)).message.body).toBe("a, 7");
  });

  it("do not share anything between messages or groups", async () => {
    const run = await flow(`- split: {simple: "\${body}", aggregationStrategy: groupedBody, steps: [{setBody: {simple: "\${body}!"}}]}`);
    expect([(await run({ body: "a,b" })).body, (await run({ body: "c" })).body]).toEqual([["a!", "b!"], ["c!"]]);
  });
});

describe("the memory repository", () => {
  it("contains a key until it is removed or evicted", () => {
    const repository = memoryIdempotentRepository(2);
    expect([repository.add("a"), repository.add("a"), repository.add("b")]).toEqual([true, false, true]);
    expect(repository.remove("a")).not.toBeInstanceOf(Promise);
    expect(repository.add("a")).toBe(true);
    expect(repository.add("c")).toBe(true);
    expect([repository.contains("b"), repository.contains("a"), repository.contains("c")]).toEqual([false, true, true]);
  });
});

describe("a redelivery policy by name", () => {
  const policy =
    "- beans: [{name: twoRetries, type: org.apache.camel.processor.errorhandler.RedeliveryPolicy, properties: {maximumRedeliveries: 2, redeliveryDelay: 10}}]\n";
  const route = "- from: {uri: 'direct:start', steps: [{to: 'direct:fail'}]}\n";
  const fails =
    "- route: {errorHandler: {noErrorHandler: {}}, from: {uri: 'direct:fail', steps: [{to: 'mock:try'}, {throwException: {exceptionType: java.io.IOException, message: down}}]}}\n";

  it.each([
    ["- errorHandler: {defaultErrorHandler: {redeliveryPolicyRef: twoRetries}}\n"],
    ["- errorHandler: {deadLetterChannel: {deadLetterUri: 'mock:dead', redeliveryPolicyRef: '#twoRetries'}}\n"],
    ["- onException: {exception: [java.lang.Exception], redeliveryPolicyRef: twoRetries}\n"],
  ])("applies to %s", async (handler) => {
    const run = await flow(policy + handler + route + fails);
    const pending = run();
    await run.host.clock.advance(1000);
    await pending;
    expect(run.mocks.get("try")).toHaveLength(3);
  });

  it("is rejected when the name is unknown, or when a policy is also defined inline", () => {
    const clause = (options: string): string => `- onException: {exception: [java.lang.Exception], ${options}}\n${route}${fails}`;
    expect(diagnosticsOf(clause("redeliveryPolicyRef: missing"))).toEqual([expect.stringContaining("unknown bean 'missing'")]);
    expect(diagnosticsOf(policy + clause("redeliveryPolicyRef: twoRetries, redeliveryPolicy: {}"))).toEqual([
      expect.stringContaining("cannot be used together"),
    ]);
  });
});
