import fc from "fast-check";
import { expect, it } from "vitest";
import { retryAfter, TokenBuckets } from "./token-buckets.ts";

const buckets = (capacity: number, refillMs: number, maxKeys = 100) => {
  const clock = { now: 0 };
  return { clock, buckets: new TokenBuckets({ capacity, refillMs, maxKeys, monotonic: () => clock.now }) };
};

it("allows the capacity at once, then one per refill, and returns the exact wait", () => {
  const { clock, buckets: two } = buckets(2, 1_000);
  expect([two.take("a"), two.take("a"), two.take("a"), two.take("b")]).toEqual([0, 0, 1_000, 0]);
  clock.now = 400;
  expect(two.waitMs("a")).toBe(600);
  clock.now = 1_000;
  expect([two.take("a"), two.take("a")]).toEqual([0, 1_000]);
  clock.now = 60_000;
  expect([two.take("a"), two.take("a"), two.take("a")]).toEqual([0, 0, 1_000]);
});

it("a refunded token can be taken again, and a full bucket is removed", () => {
  const { buckets: one } = buckets(1, 1_000);
  expect([one.take("a"), one.size]).toEqual([0, 1]);
  one.refund("a");
  expect([one.size, one.take("a"), one.take("a")]).toEqual([0, 0, 1_000]);
});

it("limits the number of keys, and drops idle ones first", () => {
  const { clock, buckets: few } = buckets(2, 10, 3);
  few.take("idle");
  clock.now = 100;
  few.take("busy");
  few.take("busy");
  few.take("third");
  few.take("fourth");
  expect([few.size, few.waitMs("busy") > 0]).toEqual([3, true]);
  for (let index = 0; index < 1_000; index++) few.take(`key ${index}`);
  expect(few.size).toBe(3);
});

it("a key never gets more tokens than its capacity plus its refills", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 500 }),
      fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 }),
      (capacity, refillMs, pauses) => {
        const { clock, buckets: some } = buckets(capacity, refillMs);
        let taken = 0;
        for (const pause of pauses) {
          clock.now += pause;
          if (some.take("a") === 0) taken++;
        }
        expect(taken).toBeLessThanOrEqual(capacity + clock.now / refillMs + 1e-6);
      },
    ),
  );
});

it("Retry-After is a whole number of seconds, at least 1", () => {
  expect([retryAfter(1), retryAfter(1_000), retryAfter(1_001)]).toEqual(["1", "1", "2"]);
});

it("reports when the last token of a key is taken, and can empty the bucket of a key", () => {
  const emptied: string[] = [];
  const clock = { now: 0 };
  const buckets = new TokenBuckets({ capacity: 2, refillMs: 1_000, maxKeys: 100, monotonic: () => clock.now, emptied: (key) => emptied.push(key) });
  buckets.take("a");
  expect(emptied).toEqual([]);
  buckets.take("a");
  buckets.take("a");
  expect(emptied).toEqual(["a"]);
  buckets.empty("b");
  expect([buckets.waitMs("b"), buckets.take("b")]).toEqual([1_000, 1_000]);
  clock.now = 1_000;
  expect([buckets.take("a"), buckets.take("b")]).toEqual([0, 0]);
  expect(emptied).toEqual(["a", "a", "b"]);
});
