import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TurnQueue } from "./turn-queue.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

it("resumes several waiters in one turn only if their work is short", async () => {
  const queue = new TurnQueue();
  let turn = 0;
  let ended = false;
  const count = (): void => {
    turn++;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  const turnsOf = async (waiters: number, workMs: number): Promise<readonly number[]> => {
    const resumedIn: number[] = [];
    await Promise.all(Array.from({ length: waiters }, () => queue.wait().then(() => (vi.advanceTimersByTime(workMs), resumedIn.push(turn)))));
    return resumedIn.map((resumed) => resumed - (resumedIn[0] ?? 0));
  };
  expect(await turnsOf(5, 12)).toEqual([0, 1, 2, 3, 4]);
  expect(await turnsOf(6, 6)).toEqual([0, 0, 1, 1, 2, 2]);
  expect(new Set(await turnsOf(100, 0)).size).toBe(1);
  ended = true;
});

it("resumes in call order, and never in the turn of the call", async () => {
  const queue = new TurnQueue();
  const order: string[] = [];
  setImmediate(() => order.push("turn"));
  const first = queue.wait().then(async () => {
    order.push("first");
    setImmediate(() => order.push("next turn"));
    await queue.wait();
    order.push("first again");
  });
  const second = queue.wait().then(() => order.push("second"));
  await Promise.all([first, second]);
  expect(order).toEqual(["turn", "first", "second", "next turn", "first again"]);
});
