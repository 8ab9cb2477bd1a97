import { expect, it } from "vitest";
import { Prefetched } from "./prefetched.ts";

it("processes synchronous items immediately and in order, including items that arrive meanwhile", () => {
  const processed: number[] = [];
  const prefetched: Prefetched<number> = new Prefetched<number>({
    window: 1,
    work(item) {
      if (item === 1) prefetched.take(2);
      processed.push(item);
      return undefined;
    },
    release: () => undefined,
  });
  prefetched.take(1);
  prefetched.take(3);
  expect(processed).toEqual([1, 2, 3]);
});

it("never exceeds its window, and returns items that were not started when it stops", async () => {
  const started: number[] = [];
  const returned: number[] = [];
  const ends: (() => void)[] = [];
  const prefetched = new Prefetched<number>({
    window: 2,
    work(item) {
      started.push(item);
      return new Promise<void>((resolve) => void ends.push(resolve));
    },
    release: (item) => void returned.push(item),
  });
  for (const item of [1, 2, 3, 4]) prefetched.take(item);
  expect(started).toEqual([1, 2]);
  ends[0]?.();
  await expect.poll(() => started).toEqual([1, 2, 3]);
  const stopped = [prefetched.stop(), prefetched.stop()];
  prefetched.take(5);
  expect(returned).toEqual([4, 5]);
  for (const end of ends) end();
  await Promise.all(stopped);
  expect(started).toEqual([1, 2, 3]);
});
