import { describe, expect, it } from "vitest";
import { callGrowth, countCalls } from "./count-calls.ts";

const add = (sum: number, item: number): number => sum + item;
const sumOf = (items: readonly number[]): number => items.reduce(add, 0);

/** Long enough for V8 to optimize the code. */
const hot = Array.from({ length: 50_000 }, (_, index) => index);

describe("counted calls", () => {
  it("are all calls, also of functions that were optimized before", async () => {
    for (let round = 0; round < 20; round++) sumOf(hot);
    for (const size of [1_000, 50_000]) {
      const calls = await countCalls(() => sumOf(hot.slice(0, size)));
      expect([calls >= size, calls < size + 200]).toEqual([true, true]);
    }
  });

  it("include those of asynchronous work and of generators", async () => {
    const count = function* (size: number) {
      for (let index = 0; index < size; index++) yield index;
    };
    const calls = await countCalls(async () => {
      for (const index of count(500)) await Promise.resolve(index);
    });
    expect(calls).toBeGreaterThanOrEqual(500);
  });

  it("grow eightfold for linear work and 64-fold for quadratic work", async () => {
    const quadratic = (size: number): number[] => hot.slice(0, size).map(() => sumOf(hot.slice(0, size)));
    expect(Math.round(await callGrowth((size) => sumOf(hot.slice(0, size)), 5_000))).toBe(8);
    expect(Math.round((await callGrowth(quadratic, 50)) / 10)).toBe(6);
  });
});
