import { expect, test } from "vitest";
import { SimulatedClock } from "./simulated-clock.ts";

test("timers fire in order without real waiting, and time advances", async () => {
  const clock = new SimulatedClock();
  const before = clock.now();
  const fired: string[] = [];
  let isDone = false;
  clock.after(60_000, () => {
    fired.push("minute");
    clock.after(1_000, () => (isDone = true));
  });
  clock.after(10, () => fired.push("first"));
  clock.after(10, () => fired.push("second"));
  clock.after(30_000, () => fired.push("never"))();
  expect(await clock.runUntil(() => isDone)).toBe(true);
  expect(fired).toEqual(["first", "second", "minute"]);
  expect(clock.now() - before).toBeGreaterThanOrEqual(61_000);
});

test("work that only yields continues before any timer fires", async () => {
  const clock = new SimulatedClock();
  const order: string[] = [];
  let isDone = false;
  clock.after(0, () => order.push("timer"));
  void (async () => {
    for (let turn = 0; turn < 5; turn++) await clock.yieldToEventLoop();
    order.push("work");
    isDone = true;
  })();
  await clock.runUntil(() => isDone);
  expect(order).toEqual(["work"]);
});

test("it reports when no work is left, advances no further than requested, and stops endless work", async () => {
  const clock = new SimulatedClock();
  expect(await clock.runUntil(() => false)).toBe(false);
  let fired = 0;
  clock.after(500, () => fired++);
  clock.after(5_000, () => fired++);
  expect(await clock.runUntil(() => false, 1_000)).toBe(false);
  expect(fired).toBe(1);
  let ticks = 0;
  const tick = (): void => {
    ticks++;
    clock.after(600_000, tick);
  };
  tick();
  expect(await clock.runUntil(() => false)).toBe(false);
  expect(ticks).toBeLessThan(20);
});
