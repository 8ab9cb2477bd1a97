import { expect, it } from "vitest";
import { TurnQueue } from "./turn-queue.ts";

function compute(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

it("resumes several waiters in one turn only if their work is short", async () => {
  const queue = new TurnQueue();
  let turn = 0;
  let ended = false;
  const count = (): void => {
    turn++;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  const resumedIn: number[] = [];
  await Promise.all(Array.from({ length: 5 }, () => queue.wait().then(() => (compute(12), resumedIn.push(turn)))));
  expect(new Set(resumedIn).size).toBe(5);
  const resumedShort: number[] = [];
  await Promise.all(Array.from({ length: 100 }, () => queue.wait().then(() => resumedShort.push(turn))));
  expect(new Set(resumedShort).size).toBeLessThan(50);
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
