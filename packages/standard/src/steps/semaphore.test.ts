import { FlowError } from "@sluice/engine";
import { exchangeOf } from "@sluice/testkit";
import { expect, it } from "vitest";
import { Semaphore } from "./semaphore.ts";

it("uses normal permits, then the queue, then extra permits, then rejects", () => {
  const semaphore = new Semaphore({ normal: 1, max: 2, maxWaiting: 1 });
  expect(semaphore.acquire(exchangeOf())).toBe("acquired");
  expect(semaphore.acquire(exchangeOf())).toBeInstanceOf(Promise);
  expect(semaphore.acquire(exchangeOf())).toBe("acquired");
  expect(semaphore.acquire(exchangeOf())).toBe("full");
});

it("admits the longest-waiting message first, and only when a normal permit is free", async () => {
  const semaphore = new Semaphore({ normal: 1, max: 1, maxWaiting: 5 });
  const [first, second, third] = [exchangeOf(), exchangeOf(), exchangeOf()];
  const order: string[] = [];
  void semaphore.acquire(first);
  void (semaphore.acquire(second) as Promise<void>).then(() => order.push("second"));
  const last = (semaphore.acquire(third) as Promise<void>).then(() => order.push("third"));
  semaphore.release(first);
  semaphore.release(first);
  semaphore.release(second);
  await last;
  expect([order, semaphore.running]).toEqual([["second", "third"], 1]);
});

it("admits waiting messages before new ones when the limit is raised", async () => {
  const semaphore = new Semaphore({ normal: 1, max: 1, maxWaiting: 5 });
  const order: string[] = [];
  const enter = (name: string): void => {
    const entry = semaphore.acquire(exchangeOf());
    if (entry === "acquired") order.push(name);
    else void (entry as Promise<void>).then(() => order.push(name));
  };
  for (const name of ["first", "second", "third"]) enter(name);
  semaphore.limits = { normal: 2, max: 2, maxWaiting: 5 };
  enter("fourth");
  await Promise.resolve();
  expect([order, semaphore.running]).toEqual([["first", "second"], 2]);
});

it("removes a waiting entry that is cancelled", async () => {
  const semaphore = new Semaphore({ normal: 1, max: 1, maxWaiting: 5 });
  const [first, second] = [exchangeOf(), exchangeOf()];
  void semaphore.acquire(first);
  const waiting = semaphore.acquire(second) as Promise<void>;
  second.run.cancel(new FlowError("java.util.concurrent.CancellationException", "enough"));
  await expect(waiting).rejects.toThrow("enough");
  semaphore.release(first);
  expect([semaphore.running, semaphore.holds(second)]).toEqual([0, false]);
});
