import { ending, FlowError } from "@sluice/engine/spi";
import { connectorUnderTest, exchangeOf, failureOf, FakeHost, FakeRouteInput, routeIdentity, settle } from "@sluice/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seda } from "./seda.ts";
import { FifoQueue } from "./fifo-queue.ts";

function setUp() {
  const host = new FakeHost();
  return { host, ...connectorUnderTest(seda, host) };
}

/** A gate that blocks work until it is opened. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

describe("sending one way", () => {
  it("delivers copies in order and continues immediately", async () => {
    const { source, sink } = setUp();
    const routeInput = new FakeRouteInput();
    void source("seda:q").start(routeInput);
    const send = sink("seda:q").send;
    const exchange = exchangeOf(
      "a",
      { h: 1 },
      { properties: new Map([["p", 1]]), variables: new Map([["v", 2]]), session: { id: "s", skipTime: true }, correlationId: "c" },
    );
    expect(send(exchange)).toBeUndefined();
    exchange.message.headers.set("h", 2);
    exchange.setProperty("p", 9);
    void send(exchangeOf("b"));
    expect(routeInput.exchanges).toEqual([]);
    await settle();
    expect(routeInput.bodies).toEqual(["a", "b"]);
    const [received] = routeInput.exchanges;
    expect(received).not.toBe(exchange);
    expect([
      received?.message.headers.get("h"),
      received?.property("p"),
      received?.variable("v"),
      received?.run.session?.id,
      received?.run.correlationId,
    ]).toEqual([1, 1, 2, "s", "c"]);
  });

  it("keeps messages until a route consumes them, and reports their number", async () => {
    const { backlog, source, sink } = setUp();
    for (const text of ["1", "2", "3"]) void sink("seda:later").send(exchangeOf(text));
    expect(backlog()).toEqual([{ name: "later", depth: 3 }]);
    const routeInput = new FakeRouteInput();
    void source("seda:later").start(routeInput);
    await settle();
    expect(routeInput.bodies).toEqual(["1", "2", "3"]);
    expect(backlog()).toEqual([{ name: "later", depth: 0 }]);
  });

  it("does not report failures to a sender that does not wait, and continues", async () => {
    const { source, sink } = setUp();
    const routeInput = new FakeRouteInput((exchange) => {
      if (exchange.message.body === "bad") throw new FlowError("java.io.IOException", "no");
    });
    void source("seda:q").start(routeInput);
    for (const text of ["bad", "good"]) expect(sink("seda:q").send(exchangeOf(text))).toBeUndefined();
    await settle();
    expect(routeInput.exchanges.map((exchange) => exchange.failure?.message)).toEqual(["no", undefined]);
  });

  it("fails or discards without a consumer when configured", async () => {
    const { backlog, sink } = setUp();
    const failure = await failureOf(() => sink("seda:none?failIfNoConsumers=true").send(exchangeOf()));
    expect([failure.type, failure.message]).toEqual([
      "org.apache.camel.component.seda.SedaConsumerNotAvailableException",
      "No consumers available on endpoint: seda://none",
    ]);
    expect(sink("seda:none?discardIfNoConsumers=true").send(exchangeOf())).toBeUndefined();
    expect(backlog()).toEqual([{ name: "none", depth: 0 }]);
  });

  it("yields to other work while a route sends to its own queue", async () => {
    const { source, sink } = setUp();
    const send = sink("seda:loop").send;
    const consumer = source("seda:loop");
    let turns = 0;
    void consumer.start(new FakeRouteInput((exchange) => (turns < 20 ? void send(exchange) : undefined)));
    void send(exchangeOf());
    await new Promise<void>((resolve) => {
      const turn = (): void => (++turns === 20 ? resolve() : void setImmediate(turn));
      turn();
    });
    expect(turns).toBe(20);
  });
});

describe("a full queue", () => {
  it("fails the sender", async () => {
    const { sink } = setUp();
    const send = sink("seda:small?size=2").send;
    void send(exchangeOf("1"));
    void send(exchangeOf("2"));
    const failure = await failureOf(() => send(exchangeOf("3")));
    expect([failure.type, failure.message]).toEqual(["java.lang.IllegalStateException", "Queue full"]);
  });

  it("holds 1000 messages by default, and the consuming route can change that", async () => {
    const { backlog, source, sink } = setUp();
    for (let i = 0; i < 1000; i++) void sink("seda:a").send(exchangeOf(i));
    expect((await failureOf(() => sink("seda:a").send(exchangeOf()))).message).toBe("Queue full");
    void source("seda:b?size=1").start(new FakeRouteInput(() => new Promise(() => undefined)));
    void sink("seda:b").send(exchangeOf());
    expect((await failureOf(() => sink("seda:b").send(exchangeOf()))).message).toBe("Queue full");
    expect(backlog()).toEqual([
      { name: "a", depth: 1000 },
      { name: "b", depth: 1 },
    ]);
  });

  it("discards messages with discardWhenFull", () => {
    const { backlog, sink } = setUp();
    for (const text of ["1", "2", "3"]) expect(sink("seda:small?size=2&discardWhenFull=true").send(exchangeOf(text))).toBeUndefined();
    expect(backlog()).toEqual([{ name: "small", depth: 2 }]);
  });

  it("blocks senders with blockWhenFull, in order, and never exceeds its size", async () => {
    const { backlog, source, sink } = setUp();
    const send = sink("seda:small?size=1&blockWhenFull=true").send;
    const sends = ["1", "2", "3"].map(async (text) => send(exchangeOf(text)));
    expect(backlog()[0]?.depth).toBe(1);
    const routeInput = new FakeRouteInput(() => expect(backlog()[0]?.depth).toBeLessThanOrEqual(1));
    void source("seda:small").start(routeInput);
    await Promise.all(sends);
    await settle();
    expect(routeInput.bodies).toEqual(["1", "2", "3"]);
    expect(routeInput.exchanges.map((exchange) => exchange.failure)).toEqual([undefined, undefined, undefined]);
  });

  it("fails a waiting sender after offerTimeout", async () => {
    const { host, sink } = setUp();
    const send = sink("seda:small?size=1&blockWhenFull=true&offerTimeout=300").send;
    void send(exchangeOf("1"));
    const failing = failureOf(() => send(exchangeOf("2")));
    await host.clock.advance(300);
    expect((await failing).type).toBe("java.lang.IllegalStateException");
    expect(host.clock.pending).toBe(0);
  });

  it("releases a blocked sender when its run is cancelled", async () => {
    const { backlog, sink } = setUp();
    const send = sink("seda:small?size=1&blockWhenFull=true").send;
    void send(exchangeOf("1"));
    const exchange = exchangeOf("2");
    const failing = failureOf(() => send(exchange));
    exchange.run.cancel(new FlowError("java.lang.IllegalStateException", "stop it"));
    expect((await failing).message).toBe("stop it");
    expect(backlog()[0]?.depth).toBe(1);
  });
});

describe("waiting for the reply", () => {
  it("copies body, headers, properties, variables and the stop flag", async () => {
    const { source, sink } = setUp();
    void source("seda:q").start(
      new FakeRouteInput((exchange) => {
        exchange.message.body = "reply";
        exchange.message.headers.set("r", 1);
        exchange.setProperty("p", 2);
        exchange.setVariable("v", 3);
        exchange.ending = ending.stopped;
      }),
    );
    const exchange = exchangeOf("x", {}, { pattern: "InOut" });
    await sink("seda:q").send(exchange);
    expect([exchange.message.body, exchange.message.headers.get("r"), exchange.property("p"), exchange.variable("v"), exchange.ending]).toEqual([
      "reply",
      1,
      2,
      3,
      ending.stopped,
    ]);
  });

  it("shares no state with the run that replied, which may continue or be recorded", async () => {
    const { source, sink } = setUp();
    const routeInput = new FakeRouteInput((exchange) => {
      exchange.message.headers.set("r", 1);
      exchange.setProperty("p", 2);
      exchange.setVariable("v", 3);
    });
    void source("seda:q").start(routeInput);
    const exchange = exchangeOf("x", {}, { pattern: "InOut" });
    await sink("seda:q").send(exchange);
    const [done] = routeInput.exchanges;
    const stateOf = (other: typeof exchange | undefined): unknown[] => [other?.message.headers.get("r"), other?.property("p"), other?.variable("v")];
    done?.setProperty("p", "late");
    done?.setVariable("v", "late");
    done?.message.headers.set("r", "late");
    expect(stateOf(exchange)).toEqual([1, 2, 3]);
    exchange.setProperty("p", "mine");
    exchange.setVariable("v", "mine");
    exchange.message.headers.set("r", "mine");
    expect(stateOf(done)).toEqual(["late", "late", "late"]);
  });

  it("fails with the failure of the other route", async () => {
    const { source, sink } = setUp();
    const failure = new FlowError("java.io.IOException", "no");
    void source("seda:q").start(
      new FakeRouteInput(() => {
        throw failure;
      }),
    );
    expect(await failureOf(() => sink("seda:q").send(exchangeOf("x", {}, { pattern: "InOut" })))).toBe(failure);
  });

  it("times out and withdraws a message that was not started", async () => {
    const { backlog, host, sink } = setUp();
    const failing = failureOf(() => sink("seda:q?timeout=300").send(exchangeOf("x", {}, { pattern: "InOut" })));
    await host.clock.advance(300);
    const failure = await failing;
    expect([failure.type, failure.message]).toEqual(["org.apache.camel.ExchangeTimedOutException", "The OUT message was not received within: 300 millis"]);
    expect(backlog()[0]?.depth).toBe(0);
  });

  it("ignores a reply after the timeout", async () => {
    const { host, source, sink } = setUp();
    const slow = gate();
    void source("seda:q").start(
      new FakeRouteInput(async (exchange) => {
        await slow.opened;
        exchange.message.body = "late";
      }),
    );
    const exchange = exchangeOf("x", {}, { pattern: "InOut" });
    const failing = failureOf(() => sink("seda:q?timeout=50").send(exchange));
    await host.clock.advance(50);
    await failing;
    slow.open();
    await settle();
    expect(exchange.message.body).toBe("x");
  });

  it("waits always or never with waitForTaskToComplete", async () => {
    const { source, sink } = setUp();
    void source("seda:q").start(new FakeRouteInput((exchange) => void (exchange.message.body = "reply")));
    const always = exchangeOf("x");
    await sink("seda:q?waitForTaskToComplete=Always").send(always);
    expect(always.message.body).toBe("reply");
    expect(sink("seda:q?waitForTaskToComplete=never").send(exchangeOf("x", {}, { pattern: "InOut" }))).toBeUndefined();
  });
});

describe("consuming", () => {
  it("processes concurrentConsumers messages concurrently", async () => {
    const { source, sink } = setUp();
    const hold = gate();
    const routeInput = new FakeRouteInput(() => hold.opened);
    void source("seda:q?concurrentConsumers=3").start(routeInput);
    for (let i = 0; i < 5; i++) void sink("seda:q").send(exchangeOf(i));
    await settle();
    expect(routeInput.bodies).toEqual([0, 1, 2]);
    hold.open();
    await settle();
    expect(routeInput.bodies).toEqual([0, 1, 2, 3, 4]);
  });

  it("rejects more than 500 consumers unless the limit is disabled", () => {
    const { source } = setUp();
    expect(() => source("seda:q?concurrentConsumers=501")).toThrow(/501, but the maximum is 500/);
    expect(source("seda:q?concurrentConsumers=501&limitConcurrentConsumers=false").claims).toEqual(["seda:q"]);
  });

  it("delivers one copy to every subscribed route, even to a route with two versions", async () => {
    const { source, sink } = setUp();
    const routeInputs = ["a", "b", "a"].map((id) => new FakeRouteInput((exchange) => exchange.message.headers.set("seen", id), routeIdentity(id)));
    const sources = routeInputs.map((routeInput) => source("seda:pub?multipleConsumers=true", routeInput.route));
    expect(sources[0]?.claims).toEqual([]);
    sources.forEach((consumer, i) => void consumer.start(routeInputs[i] as FakeRouteInput));
    void sink("seda:pub?multipleConsumers=true").send(exchangeOf("x"));
    await settle();
    expect(routeInputs.map((routeInput) => routeInput.bodies)).toEqual([[], ["x"], ["x"]]);
    expect(routeInputs[1]?.exchanges[0]?.message.headers.get("seen")).toBe("b");
  });

  it("processes waiting messages before it stops", async () => {
    const { source, sink } = setUp();
    const routeInput = new FakeRouteInput(() => new Promise((resolve) => setImmediate(resolve)));
    const consumer = source("seda:q");
    void consumer.start(routeInput);
    for (let i = 0; i < 50; i++) void sink("seda:q").send(exchangeOf(i));
    await consumer.stop();
    expect(routeInput.bodies).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it("discards waiting messages with purgeWhenStopping, and fails waiting senders", async () => {
    const { backlog, source, sink } = setUp();
    const consumer = source("seda:q?purgeWhenStopping=true");
    void consumer.start(new FakeRouteInput(() => new Promise(() => undefined)));
    void sink("seda:q").send(exchangeOf("busy"));
    await settle();
    void sink("seda:q").send(exchangeOf("dropped"));
    const failing = failureOf(() => sink("seda:q").send(exchangeOf("x", {}, { pattern: "InOut" })));
    await consumer.stop();
    expect((await failing).code).toBe("queue-purged");
    expect(backlog()).toEqual([]);
  });

  it("removes a queue with its messages when no flow uses it; a new version of a flow keeps it", async () => {
    const { backlog, host, sink } = setUp();
    const [old, replacement] = [sink("seda:q"), sink("seda:q")];
    void old.start?.();
    void old.send(exchangeOf("waiting"));
    void replacement.start?.();
    await old.stop?.();
    expect(backlog()).toEqual([{ name: "q", depth: 1 }]);
    await replacement.stop?.();
    expect(backlog()).toEqual([]);
    expect(host.log.records.map(({ text }) => text)).toEqual(["Queue 'q' was removed because no flow uses it; messages dropped: 1"]);
  });

  it("delivers nothing after it is abandoned, and returns the number of remaining messages", async () => {
    const { source, sink } = setUp();
    const hold = gate();
    const routeInput = new FakeRouteInput(() => hold.opened);
    const consumer = source("seda:q");
    void consumer.start(routeInput);
    for (let i = 0; i < 4; i++) void sink("seda:q").send(exchangeOf(i));
    await settle();
    const stopped = consumer.stop();
    expect(consumer.abandon?.()).toBe(3);
    hold.open();
    await stopped;
    await settle();
    expect(routeInput.bodies).toEqual([0]);
  });

  it("passes the queue to a new version without losing or duplicating a message", async () => {
    const { source, sink } = setUp();
    const hold = gate();
    const [oldInput, newInput] = [new FakeRouteInput(() => hold.opened), new FakeRouteInput()];
    const [old, replacement] = [source("seda:q"), source("seda:q")];
    void old.start(oldInput);
    for (let i = 0; i < 4; i++) void sink("seda:q").send(exchangeOf(i));
    await settle();
    void replacement.start(newInput);
    await old.stop();
    await settle();
    expect([oldInput.bodies, newInput.bodies]).toEqual([[0], [1, 2, 3]]);
    hold.open();
    await settle();
    expect([oldInput.bodies, newInput.bodies]).toEqual([[0], [1, 2, 3]]);
  });

  it("returns the queue to the old version when the new one stops", async () => {
    const { source, sink } = setUp();
    const [oldInput, newInput] = [new FakeRouteInput(), new FakeRouteInput()];
    const [old, replacement] = [source("seda:q"), source("seda:q")];
    void old.start(oldInput);
    void replacement.start(newInput);
    await replacement.stop();
    void sink("seda:q").send(exchangeOf("x"));
    await settle();
    expect([oldInput.bodies, newInput.bodies]).toEqual([["x"], []]);
  });

  it("stops draining when another version takes over", async () => {
    const { source, sink } = setUp();
    const blockedInput = new FakeRouteInput(() => new Promise(() => undefined));
    const old = source("seda:q");
    void old.start(blockedInput);
    for (let i = 0; i < 3; i++) void sink("seda:q").send(exchangeOf(i));
    const stopping = old.stop();
    await settle();
    const routeInput = new FakeRouteInput();
    void source("seda:q").start(routeInput);
    await stopping;
    await settle();
    expect([blockedInput.bodies, routeInput.bodies]).toEqual([[0], [1, 2]]);
  });
});

describe("polling", () => {
  it("returns a waiting message, waits for one, or times out", async () => {
    const { backlog, host, sink, poller } = setUp();
    void sink("seda:q").send(exchangeOf("first", { h: 1 }));
    const { receive } = poller("seda:q");
    const first = await receive(0, exchangeOf());
    expect([first?.body, first?.headers.get("h")]).toEqual(["first", 1]);
    expect(await receive(0, exchangeOf())).toBeUndefined();
    const waiting = receive(-1, exchangeOf());
    void sink("seda:q").send(exchangeOf("second"));
    expect((await waiting)?.body).toBe("second");
    const timingOut = receive(300, exchangeOf());
    await host.clock.advance(300);
    expect(await timingOut).toBeUndefined();
    void sink("seda:q").send(exchangeOf("third"));
    expect(backlog()[0]?.depth).toBe(1);
  });
});

describe("FifoQueue", () => {
  it("behaves like a plain array", () => {
    const action = fc.oneof(fc.record({ push: fc.integer() }), fc.constant("shift" as const), fc.record({ remove: fc.nat(5) }));
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        const queue = new FifoQueue<{ n: number }>();
        const model: { n: number }[] = [];
        for (const step of actions) {
          if (step === "shift") expect(queue.shift()).toBe(model.shift());
          else if ("push" in step) {
            const item = { n: step.push };
            queue.push(item);
            model.push(item);
          } else {
            const item = model[step.remove];
            if (item === undefined) continue;
            expect(queue.remove(item)).toBe(true);
            expect(queue.remove(item)).toBe(false);
            model.splice(step.remove, 1);
          }
          expect(queue.length).toBe(model.length);
        }
      }),
    );
  });
});
