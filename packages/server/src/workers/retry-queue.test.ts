import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RetryQueue, type QueuedRequest } from "./retry-queue.ts";

let retries: RetryQueue;
let attempted: number[];
let gaveUp: number[];

const queued = (number: number, waitMs = 15_000): QueuedRequest => ({
  // real time: the fake timers replace it.
  until: performance.now() + waitMs,
  attempt: () => attempted.push(number),
  giveUp: () => gaveUp.push(number),
});

function add(count: number, waitMs?: number): void {
  for (let number = 0; number < count; number++) retries.add(queued(number, waitMs));
}

beforeEach(() => {
  vi.useFakeTimers();
  retries = new RetryQueue();
  attempted = [];
  gaveUp = [];
});
afterEach(() => vi.useRealTimers());

it("makes one attempt at a time while the leader is unavailable, however many requests wait", () => {
  add(1_000);
  for (let turn = 1; turn <= 20; turn++) {
    vi.advanceTimersByTime(50);
    retries.failed(queued(0));
    expect(attempted).toEqual(Array.from({ length: turn }, () => 0));
  }
  expect(retries.isEmpty).toBe(false);
});

it("sends all requests within a second once the leader is available, in order", () => {
  add(1_000);
  for (let turn = 0; turn < 20; turn++) {
    const attemptedBefore = attempted.length;
    vi.advanceTimersByTime(50);
    for (let index = attemptedBefore; index < attempted.length; index++) retries.succeeded();
  }
  expect(attempted).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  expect(retries.isEmpty).toBe(true);
});

it("gives up exactly those requests whose deadline has passed", () => {
  add(3, 60);
  add(2, 500);
  vi.advanceTimersByTime(50);
  expect([attempted, gaveUp]).toEqual([[0], []]);
  vi.advanceTimersByTime(50);
  expect([attempted, gaveUp]).toEqual([
    [0, 0],
    [1, 2],
  ]);
  vi.advanceTimersByTime(1_000);
  expect([attempted, gaveUp]).toEqual([
    [0, 0, 1],
    [1, 2],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
