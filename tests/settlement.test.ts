// When a source is notified of the outcome of its message: after all completion callbacks of the run.
import { describe, expect, it } from "vitest";
import { defineBean, FlowError, Headers, Message, settlementOf, type Exchange } from "@sluice/engine/spi";
import { eventually, flow, settle } from "@sluice/testkit";
import { connectors } from "@sluice/connectors";
import { mockBodies, withAdvancingClock } from "./advancing-clock.ts";

/** A repository whose keys are released only on command. */
function slowRepository() {
  const keys = new Set<string>();
  const waiting: ((error?: Error) => void)[] = [];
  const bean = defineBean({
    names: ["slow"],
    title: "Slow",
    summary: "Releases keys late.",
    group: "testing",
    since: "0.1",
    kind: "idempotent-repository",
    properties: {},
    create: () => ({
      add: (key: string) => Promise.resolve(!keys.has(key) && keys.add(key) !== undefined),
      contains: (key: string) => keys.has(key),
      confirm: () => undefined,
      remove: (key: string) =>
        new Promise<void>((resolve, reject) => waiting.push((error) => (error === undefined ? (keys.delete(key), resolve()) : reject(error)))),
      clear: () => keys.clear(),
    }),
  });
  return { bean, waiting };
}

const once = `
- idempotentConsumer:
    simple: "\${header.id}"
    idempotentRepository: "#class:slow"
    steps:
      - throwException: {exceptionType: java.io.IOException, message: broken}
`;

describe("a delivered message", () => {
  it("is not settled before its idempotent key is released, so a redelivery is not a duplicate", async () => {
    const { bean, waiting } = slowRepository();
    const run = await flow(once, { beans: [bean] });
    const routeInput = run.runtime.routeInputOf("direct:start");
    const deliver = () => routeInput?.deliver(new Message("x", Headers.of({ id: "7" })));
    let settled: Exchange | undefined;
    const first = Promise.resolve(deliver()).then((exchange) => (settled = exchange));
    await eventually(() => waiting.length === 1);
    await settle();
    expect([waiting.length, settled, run.runtime.routes.get("start")?.stats.inflight]).toEqual([1, undefined, 1]);
    waiting.shift()?.();
    expect(settlementOf((await first) as Exchange).kind).toBe("failed");
    const second = deliver();
    await eventually(() => waiting.length === 1);
    waiting.shift()?.();
    expect((await second)?.property("CamelDuplicateMessage")).toBeUndefined();
  });

  it("fails when a completion callback fails", async () => {
    const run = await flow("- setBody: {constant: ok}");
    const routeInput = run.runtime.routeInputOf("direct:start");
    const withCompletion = (end: () => void | Promise<void>) =>
      routeInput?.deliver(new Message("x"), { started: (exchange) => void (exchange.completions ??= []).push(end) });
    const rejected = await withCompletion(() => Promise.reject(new FlowError("java.io.IOException", "cannot release")));
    const thrown = withCompletion(() => {
      throw new FlowError("java.io.IOException", "cannot release");
    });
    for (const exchange of [rejected, thrown] as Exchange[])
      expect(settlementOf(exchange)).toMatchObject({ kind: "failed", failure: { message: "cannot release" } });
    expect(run.host.log.texts.filter((text) => text.includes("cannot release"))).toHaveLength(2);
    expect(run.runtime.routes.get("start")?.stats.inflight).toBe(0);
  });

  it("does not stay in flight forever when a completion callback never ends", async () => {
    const run = await flow("- setBody: {constant: ok}", { limits: { runMs: 60_000 } });
    const delivered = Promise.resolve(
      run.runtime.routeInputOf("direct:start")?.deliver(new Message("x"), {
        started: (started) => void (started.completions ??= []).push(() => new Promise<void>(() => undefined)),
      }),
    );
    const exchange = await withAdvancingClock(run, delivered);
    expect(settlementOf(exchange as Exchange)).toMatchObject({ kind: "failed", failure: { code: "limit-run-time" } });
  });

  it("of an in-memory queue is not lost when the receiving route is at its limit", async () => {
    const seda = connectors.filter(({ scheme }) => scheme === "seda");
    const run = await flow(
      `
- route:
    id: sender
    from: {uri: "direct:start", steps: [{to: "seda:work?waitForTaskToComplete=Never"}]}
- route:
    id: worker
    from: {uri: "seda:work?concurrentConsumers=4", steps: [{delay: {constant: 50}}, {to: "mock:done"}]}`,
      { connectors: seda, limits: { inflightPerRoute: 1 } },
    );
    for (let count = 0; count < 4; count++) await run({ body: count, delivery: { session: undefined as never } });
    await eventually(async () => {
      await run.host.clock.advance(50);
      return mockBodies(run, "done").length === 4;
    });
    expect(new Set(mockBodies(run, "done"))).toEqual(new Set([0, 1, 2, 3]));
    await run.stop();
  });
});
