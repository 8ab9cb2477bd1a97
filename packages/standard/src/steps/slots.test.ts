import { FlowError } from "@sluice/engine";
import { exchangeOf } from "@sluice/testkit";
import { expect, it } from "vitest";
import { Slots } from "./slots.ts";

it("uses core slots, then the queue, then extra slots, then rejects", () => {
  const slots = new Slots({ normal: 1, max: 2, maxWaiting: 1 });
  expect(slots.enter(exchangeOf())).toBe("in");
  expect(slots.enter(exchangeOf())).toBeInstanceOf(Promise);
  expect(slots.enter(exchangeOf())).toBe("in");
  expect(slots.enter(exchangeOf())).toBe("full");
});

it("admits the longest waiting first, and only when a core slot is free", async () => {
  const slots = new Slots({ normal: 1, max: 1, maxWaiting: 5 });
  const [first, second, third] = [exchangeOf(), exchangeOf(), exchangeOf()];
  const order: string[] = [];
  void slots.enter(first);
  void (slots.enter(second) as Promise<void>).then(() => order.push("second"));
  const last = (slots.enter(third) as Promise<void>).then(() => order.push("third"));
  slots.leave(first);
  slots.leave(first);
  slots.leave(second);
  await last;
  expect([order, slots.running]).toEqual([["second", "third"], 1]);
});

it("removes a waiting entry that is cancelled", async () => {
  const slots = new Slots({ normal: 1, max: 1, maxWaiting: 5 });
  const [first, second] = [exchangeOf(), exchangeOf()];
  void slots.enter(first);
  const waiting = slots.enter(second) as Promise<void>;
  second.run.cancel(new FlowError("java.util.concurrent.CancellationException", "enough"));
  await expect(waiting).rejects.toThrow("enough");
  slots.leave(first);
  expect([slots.running, slots.holds(second)]).toEqual([0, false]);
});
