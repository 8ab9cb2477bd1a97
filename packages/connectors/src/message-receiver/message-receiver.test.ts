import { FlowError, Message, type Exchange } from "@sluice/engine/spi";
import { FakeClock, FakeRouteInput } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { MessageReceiver, type ReceiverOptions, type ReceiverParts, type Outcome } from "./message-receiver.ts";

const options: ReceiverOptions = { window: 2, maximumRedeliveries: 2, redeliveryDelay: 100, backOffMultiplier: 2, maximumRedeliveryDelay: 150, leaseMs: 0 };

const failing = (code?: string) => (): never => {
  throw new FlowError("java.io.IOException", "broken", code === undefined ? {} : { code });
};

/** A receiver for a system whose messages are numbers and which does not count attempts. */
function setUp(work: (exchange: Exchange) => void | Promise<void>, overrides: Partial<ReceiverOptions> = {}, parts: Partial<ReceiverParts> = {}) {
  const clock = new FakeClock();
  const routeInput = new FakeRouteInput(work);
  const settled: [number, Outcome["kind"], number][] = [];
  const calls: string[] = [];
  const problems: string[] = [];
  const messageReceiver = new MessageReceiver<number>(
    routeInput,
    {
      messageOf: (item) => new Message(item),
      idOf: String,
      settle: (item, outcome) => void settled.push([item, outcome.kind, outcome.kind === "redeliver" ? outcome.waitMs : 0]),
      pause: () => void calls.push("pause"),
      resume: () => void calls.push("resume"),
    },
    { ...options, ...overrides },
    { clock, failed: (problem) => void problems.push(problem), ...parts },
  );
  return { clock, routeInput, messageReceiver, settled, calls, problems };
}

describe("a message receiver", () => {
  it("acknowledges after the run, synchronously for a synchronous run", () => {
    const { messageReceiver, settled } = setUp(() => undefined);
    expect(messageReceiver.take(1)).toBeUndefined();
    expect([settled, messageReceiver.inflight]).toEqual([[[1, "done", 0]], 0]);
  });

  it("acknowledges a message only after its run, and pauses while its window is full", async () => {
    const finish: (() => void)[] = [];
    const { messageReceiver, settled, calls } = setUp(() => new Promise<void>((resolve) => void finish.push(resolve)));
    const pending = [messageReceiver.take(1), messageReceiver.take(2)];
    expect([settled, calls, messageReceiver.inflight, messageReceiver.hasRoom]).toEqual([[], ["pause"], 2, false]);
    let stopped = false;
    const stopping = messageReceiver.stop().then(() => (stopped = true));
    finish[0]?.();
    await pending[0];
    expect([settled, calls, stopped]).toEqual([[[1, "done", 0]], ["pause", "resume"], false]);
    finish[1]?.();
    await stopping;
    expect(messageReceiver.inflight).toBe(0);
  });

  it("redelivers with a bounded back-off and dead-letters messages that keep failing", () => {
    const { messageReceiver, settled } = setUp(failing());
    for (let attempt = 0; attempt < 3; attempt++) void messageReceiver.take(7);
    expect(settled).toEqual([
      [7, "redeliver", 100],
      [7, "redeliver", 150],
      [7, "dead-letter", 0],
    ]);
    // The count restarts when the same message is sent again later.
    void messageReceiver.take(7);
    expect(settled.at(-1)).toEqual([7, "redeliver", 100]);
  });

  it("returns a message that was not accepted without counting an attempt", () => {
    for (const [code, wait] of [
      ["limit-inflight", 100],
      ["run-abandoned", 0],
    ] as const) {
      const { messageReceiver, settled } = setUp(failing(code));
      for (let attempt = 0; attempt < 10; attempt++) void messageReceiver.take(1);
      expect(new Set(settled.map((entry) => entry.join()))).toEqual(new Set([`1,redeliver,${wait}`]));
    }
  });

  it("writes a dead letter before it acknowledges, and returns the message when that fails", async () => {
    const stored: unknown[] = [];
    let isFull = true;
    const deadLetters = {
      store: (exchange: Exchange) => (isFull ? Promise.reject(new Error("no space")) : Promise.resolve(void stored.push(exchange.message.body))),
    };
    const { messageReceiver, settled, problems } = setUp(failing(), { maximumRedeliveries: 0 }, { deadLetters });
    await messageReceiver.take(1);
    expect([settled, problems]).toEqual([[[1, "redeliver", 150]], ["a dead letter could not be written: no space"]]);
    isFull = false;
    await messageReceiver.take(1);
    expect([settled.at(-1), stored]).toEqual([[1, "dead-letter", 0], [1]]);
  });

  it("counts a run that exceeds its lease as failed, and reports a late success", async () => {
    let finish = (): void => undefined;
    const lateItems: unknown[] = [];
    const { clock, messageReceiver, settled } = setUp(
      () => new Promise<void>((resolve) => (finish = resolve)),
      { leaseMs: 1000 },
      { doneLate: (item) => void lateItems.push(item) },
    );
    const pending = messageReceiver.take(3);
    await clock.advance(1000);
    await pending;
    expect([settled, lateItems, clock.pending]).toEqual([[[3, "redeliver", 100]], [], 0]);
    finish();
    await clock.advance(0);
    expect([settled.length, lateItems]).toEqual([1, [3]]);
  });
});
