import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TimeSlicedQueue } from "./time-sliced-queue.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("runs work in order, five milliseconds of it per turn of the event loop, and work added meanwhile in a later turn", async () => {
  const queue = new TimeSlicedQueue();
  const done: string[] = [];
  const work = (name: string) => () => {
    vi.advanceTimersByTime(2);
    done.push(name);
    if (name === "a") queue.add(work("last"));
  };
  for (const name of ["a", "b", "c", "d"]) queue.add(work(name));
  expect(done).toEqual([]);
  const turns: string[] = [];
  for (let count = 0; count < 3; count++) {
    await turn();
    turns.push(done.join(""));
  }
  expect(turns).toEqual(["abc", "abcdlast", "abcdlast"]);
});
