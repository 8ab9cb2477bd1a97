import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WaitingLine, type Waiter } from "./waiting-line.ts";

let line: WaitingLine;
let knocked: number[];
let gaveUp: number[];

const waiter = (number: number, patienceMs = 15_000): Waiter => ({
  until: performance.now() + patienceMs,
  knock: () => knocked.push(number),
  giveUp: () => gaveUp.push(number),
});

function add(count: number, patienceMs?: number): void {
  for (let number = 0; number < count; number++) line.add(waiter(number, patienceMs));
}

beforeEach(() => {
  vi.useFakeTimers();
  line = new WaitingLine();
  knocked = [];
  gaveUp = [];
});
afterEach(() => vi.useRealTimers());

it("sends one at a time to a door that stays shut, however many wait", () => {
  add(1_000);
  for (let turn = 1; turn <= 20; turn++) {
    vi.advanceTimersByTime(50);
    line.turnedAway(waiter(0));
    expect(knocked).toEqual(Array.from({ length: turn }, () => 0));
  }
  expect(line.isEmpty).toBe(false);
});

it("lets all through within a second once the door is open, in the order in which they came", () => {
  add(1_000);
  for (let turn = 0; turn < 20; turn++) {
    const before = knocked.length;
    vi.advanceTimersByTime(50);
    for (let index = before; index < knocked.length; index++) line.letIn();
  }
  expect(knocked).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  expect(line.isEmpty).toBe(true);
});

it("gives up for those whose time is over, and for nobody else", () => {
  add(3, 60);
  add(2, 500);
  vi.advanceTimersByTime(50);
  expect([knocked, gaveUp]).toEqual([[0], []]);
  vi.advanceTimersByTime(50);
  expect([knocked, gaveUp]).toEqual([
    [0, 0],
    [1, 2],
  ]);
  vi.advanceTimersByTime(1_000);
  expect([knocked, gaveUp]).toEqual([
    [0, 0, 1],
    [1, 2],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
