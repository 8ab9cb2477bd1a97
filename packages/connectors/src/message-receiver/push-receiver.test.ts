import { FlowError, Message, type Exchange } from "@sluice/engine/spi";
import { FakeClock, FakeRouteInput } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import type { DeadLetters } from "../sluice/sluice.ts";
import { PushReceiver } from "./push-receiver.ts";

/** A receiver that records the bodies of dead letters and the log. */
function setUp(work: (exchange: Exchange) => void | Promise<void>, store: () => Promise<void> = () => Promise.resolve()) {
  const clock = new FakeClock();
  const routeInput = new FakeRouteInput(work);
  const deadLetterBodies: unknown[] = [];
  const log: string[] = [];
  const deadLetters: DeadLetters = {
    store: async (exchange, exhausted) => {
      await store();
      deadLetterBodies.push((exhausted?.message ?? exchange.message).body);
    },
  };
  const write = (_level: string, _logger: string, text: string): void => void log.push(text);
  const pushReceiver = new PushReceiver(routeInput, { clock, log: { write } as never, logger: "test", uri: "test:x", deadLetters });
  const push = (body: string): void => pushReceiver.push({ message: () => new Message(body), delivery: {}, bytes: 1 });
  return { clock, routeInput, pushReceiver, push, deadLetterBodies, log };
}

const full = (): never => {
  throw new FlowError("java.lang.IllegalStateException", "too many runs", { code: "limit-inflight" });
};

describe("a push receiver", () => {
  it("dead-letters a failed message as it was received, although the route changed it", async () => {
    const { pushReceiver, push, deadLetterBodies } = setUp((exchange) => {
      exchange.message.body = "changed";
      throw new FlowError("java.io.IOException", "broken");
    });
    for (const body of ["one", "two"]) push(body);
    await pushReceiver.stop();
    expect(deadLetterBodies).toEqual(["one", "two"]);
  });

  it("holds a message while the route accepts no more runs, and delivers messages in order", async () => {
    let isFull = true;
    const done: unknown[] = [];
    const { clock, pushReceiver, push, log } = setUp(({ message }) => (isFull ? full() : void done.push(message.body)));
    for (const body of ["one", "two"]) push(body);
    await clock.advance(250);
    expect(done).toEqual([]);
    isFull = false;
    await clock.advance(100);
    await pushReceiver.stop();
    expect([done, log]).toEqual([["one", "two"], []]);
  });

  it("keeps a message until its dead letter is written", async () => {
    let isDiskFull = true;
    const { clock, pushReceiver, push, deadLetterBodies } = setUp(
      () => {
        throw new FlowError("java.io.IOException", "broken");
      },
      () => (isDiskFull ? Promise.reject(new Error("disk full")) : Promise.resolve()),
    );
    push("one");
    await clock.advance(1000);
    expect(deadLetterBodies).toEqual([]);
    isDiskFull = false;
    await clock.advance(60_000);
    await pushReceiver.stop();
    expect(deadLetterBodies).toEqual(["one"]);
  });

  it("logs a message that is lost because the source stops", async () => {
    const { pushReceiver, push, log } = setUp(full);
    push("one");
    await pushReceiver.stop();
    expect(log).toEqual([expect.stringContaining("a message was lost")]);
  });
});
