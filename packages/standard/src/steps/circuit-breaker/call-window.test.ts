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
