import { Headers, Message } from "@sluice/engine";
import { flow, settle } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const callCounts = (mocks: ReadonlyMap<string, readonly unknown[]>): readonly string[] => [...mocks].map(([name, messages]) => `${name}:${messages.length}`);

describe("saga", () => {
  it("notifies every participant of success, with the saga id and its options", async () => {
    const run = await flow(`
- from:
    uri: direct:start
    steps:
      - saga: {completion: mock:done, compensation: mock:undo, option: [{key: order, simple: "\${body}"}], steps: [{setBody: {constant: reply}}, {to: "direct:part"}]}
- from: {uri: direct:part, steps: [{saga: {propagation: MANDATORY, completion: mock:partDone, steps: [{to: "mock:work"}]}}]}
`);
    const { body, headers } = await run({ body: "o1" });
    await settle();
    expect([body, headers]).toEqual(["reply", {}]);
    expect(callCounts(run.mocks)).toEqual(["work:1", "partDone:1", "done:1"]);
    const id = run.mocks.get("work")?.[0]?.headers["Long-Running-Action"];
    expect(run.mocks.get("done")?.[0]).toMatchObject({ body: null, headers: { order: "o1", "Long-Running-Action": id } });
  });

  it("compensates in reverse order when a part fails, and the caller gets the failure", async () => {
    const run = await flow(`
- from: {uri: direct:start, steps: [{saga: {compensation: mock:undoA, completion: mock:done, steps: [{to: "direct:b"}, {throwException: {exceptionType: java.lang.Exception, message: boom}}]}}]}
- from: {uri: direct:b, steps: [{saga: {compensation: mock:undoB, steps: [{to: "mock:b"}]}}]}
`);
    expect((await run()).error).toBe("boom");
    await settle();
    expect(callCounts(run.mocks)).toEqual(["b:1", "undoB:1", "undoA:1"]);
  });

  it.each(["compensation", "completion"])("calls the %s endpoints in reverse order, each after the previous one has finished", async (outcome) => {
    const fails = outcome === "compensation" ? `, {throwException: {exceptionType: java.lang.Exception, message: boom}}` : "";
    const run = await flow(`
- from: {uri: direct:start, steps: [{saga: {${outcome}: mock:first, steps: [{to: "direct:b"}${fails}]}}]}
- from: {uri: direct:b, steps: [{saga: {${outcome}: direct:slow, steps: [{to: "mock:b"}]}}]}
- from: {uri: direct:slow, steps: [{delay: {constant: 500}}, {to: "mock:second"}]}
`);
    await run();
    await settle();
    expect(callCounts(run.mocks)).toEqual(["b:1"]);
    expect([...run.runtime.routes.values()].map(({ stats }) => stats.inflight)).toEqual([1, 1, 1]);
    await run.host.clock.advance(500);
    await settle();
    expect(callCounts(run.mocks)).toEqual(["b:1", "second:1", "first:1"]);
  });

  it.each([
    ["MANDATORY", "Exchange is not part of a saga"],
    ["SUPPORTS", undefined],
    ["NOT_SUPPORTED", undefined],
    ["NEVER", undefined],
  ])("outside a saga, %s does not call the completion endpoint (error: %s)", async (propagation, error) => {
    const run = await flow(`- saga: {propagation: ${propagation}, completion: mock:done, steps: [{to: "mock:work"}]}`);
    expect((await run()).error).toBe(error);
    await settle();
    expect(run.mocks.has("done")).toBe(false);
  });

  it("starts a separate saga with REQUIRES_NEW and rejects an existing one with NEVER", async () => {
    const document = (propagation: string): string => `
- from: {uri: direct:start, steps: [{saga: {steps: [{to: "mock:outer"}, {to: "direct:inner"}, {to: "mock:outer"}]}}]}
- from: {uri: direct:inner, steps: [{saga: {propagation: ${propagation}, steps: [{to: "mock:inner"}]}}]}
`;
    const run = await flow(document("REQUIRES_NEW"));
    await run();
    const [idBefore, idAfter] = (run.mocks.get("outer") ?? []).map(({ headers }) => headers["Long-Running-Action"]);
    expect(idBefore).toBe(idAfter);
    expect(run.mocks.get("inner")?.[0]?.headers["Long-Running-Action"]).not.toBe(idBefore);
    expect((await (await flow(document("NEVER")))()).error).toBe("Exchange cannot be part of a saga");
  });

  it("ignores saga ids from outside, so that a guessed id cannot end a saga", async () => {
    const run = await flow(`
- from: {uri: direct:start, steps: [{saga: {completionMode: MANUAL, compensation: mock:undo, steps: [{to: "mock:work"}]}}]}
- from: {uri: direct:attack, steps: [{saga: {propagation: MANDATORY, steps: [{throwException: {exceptionType: java.lang.Exception, message: boom}}]}}]}
`);
    await run();
    const id = run.mocks.get("work")?.[0]?.headers["Long-Running-Action"];
    const received = new Message(null, new Headers({ entries: () => [["Long-Running-Action", id]] }));
    const attacker = await run.runtime.routeInputOf("direct:attack")?.deliver(received);
    expect(attacker?.failure?.message).toBe("Exchange is not part of a saga");
    expect(run.mocks.has("undo")).toBe(false);
  });

  it("compensates a saga that times out, and notifies each participant once", async () => {
    const run = await flow(`- saga: {completionMode: MANUAL, timeout: 300, compensation: mock:undo, completion: mock:done, steps: [{to: "mock:work"}]}`);
    await run();
    await run.host.clock.advance(299);
    expect(callCounts(run.mocks)).toEqual(["work:1"]);
    await run.host.clock.advance(1000);
    expect(callCounts(run.mocks)).toEqual(["work:1", "undo:1"]);
    expect(run.host.clock.pending).toBe(0);
  });

  it("provides a handle to end the saga manually", async () => {
    const run = await flow(`- saga: {completionMode: MANUAL, completion: mock:done, steps: [{setProperty: {name: handle, exchangeProperty: SluiceSaga}}]}`);
    const { exchange } = await run();
    (exchange.property("handle") as { complete(): void }).complete();
    (exchange.property("handle") as { complete(): void }).complete();
    await settle();
    expect(callCounts(run.mocks)).toEqual(["done:1"]);
    expect(exchange.property("SluiceSaga")).toBeUndefined();
  });
});
