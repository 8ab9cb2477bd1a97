import { expect, it } from "vitest";
import { CountWindow, TimeWindow, type CallWindow } from "./call-window.ts";

const countsOf = ({ calls, failed, slow }: CallWindow): readonly number[] => [calls, failed, slow];

it("counts the last calls only", () => {
  const window = new CountWindow(3);
  window.add(true, false);
  window.add(true, true);
  window.add(false, false);
  expect(countsOf(window)).toEqual([3, 2, 1]);
  window.add(false, true);
  expect(countsOf(window)).toEqual([3, 1, 2]);
  window.add(false, false);
  window.add(false, false);
  expect(countsOf(window)).toEqual([3, 0, 1]);
});

it("has the same counts as a list of the last calls", () => {
  const [size, window, all] = [7, new CountWindow(7), [] as { readonly failed: boolean; readonly slow: boolean }[]];
  for (let index = 0; index < 200; index++) {
    const call = { failed: (index * 7919) % 5 < 2, slow: (index * 104_729) % 3 === 0 };
    window.add(call.failed, call.slow);
    all.push(call);
    const last = all.slice(-size);
    expect(countsOf(window)).toEqual([last.length, last.filter(({ failed }) => failed).length, last.filter(({ slow }) => slow).length]);
  }
});

it("drops calls that are older than the window", () => {
  let now = 100_500;
  const window = new TimeWindow(2, () => now);
  window.add(true, true);
  now = 101_400;
  window.add(true, false);
  window.add(false, false);
  expect(countsOf(window)).toEqual([3, 2, 1]);
  now = 102_000;
  window.add(false, false);
  expect(countsOf(window)).toEqual([3, 1, 0]);
  now = 200_000;
  window.add(false, true);
  expect(countsOf(window)).toEqual([1, 0, 1]);
});

it("counts a million calls in a window of 100,000 calls or seconds within 2 s", () => {
  let now = 0;
  const startTime = performance.now();
  for (const window of [new CountWindow(100_000), new TimeWindow(100_000, () => now)])
    for (let index = 0; index < 1_000_000; index++) {
      now += 1;
      window.add(index % 2 === 0, false);
    }
  expect(performance.now() - startTime).toBeLessThan(2_000);
});
