import { setImmediate as immediate } from "node:timers/promises";
import { FakeClock } from "@sluice/testkit";
import { expect, it } from "vitest";
import { OffsetCommits } from "./offset-commits.ts";

interface PendingCommit {
  resolve(): void;
  reject(error: unknown): void;
}

/** Commits that the test completes. */
function broker(): { readonly pending: PendingCommit[]; readonly commit: () => Promise<void> } {
  const pending: PendingCommit[] = [];
  const commit = (): Promise<void> => new Promise((resolve, reject) => pending.push({ resolve, reject }));
  return { pending, commit };
}

it("commits immediately, then once for all requests of the next 100 ms", async () => {
  const { pending, commit } = broker();
  const clock = new FakeClock();
  const commits = new OffsetCommits(clock, 5000, 5000);
  for (let n = 0; n < 3; n++) commits.request(commit);
  expect(pending).toHaveLength(1);
  pending[0]?.resolve();
  await immediate();
  commits.request(commit);
  await clock.advance(99);
  expect(pending).toHaveLength(1);
  await clock.advance(1);
  expect(pending).toHaveLength(2);
  pending[1]?.resolve();
  await immediate();
  await clock.advance(10_000);
  expect(pending).toHaveLength(2);
});

it("flushes a requested commit after the running one", async () => {
  const { pending, commit } = broker();
  const commits = new OffsetCommits(new FakeClock(), 5000, 5000);
  for (let n = 0; n < 2; n++) commits.request(commit);
  let isFlushed = false;
  const flushing = commits.flush().then(() => (isFlushed = true));
  pending[0]?.resolve();
  await immediate();
  expect([pending.length, isFlushed]).toEqual([2, false]);
  pending[1]?.resolve();
  await flushing;
  await commits.flush();
  expect(pending).toHaveLength(2);
});

it("retries a failed commit later, or with the next request", async () => {
  const { pending, commit } = broker();
  const clock = new FakeClock();
  const commits = new OffsetCommits(clock, 5000, 5000);
  commits.request(commit);
  pending[0]?.reject(new Error("rebalancing"));
  await immediate();
  await clock.advance(4999);
  expect(pending).toHaveLength(1);
  await clock.advance(1);
  expect(pending).toHaveLength(2);
  pending[1]?.reject(new Error("rebalancing"));
  await immediate();
  commits.request(commit);
  await clock.advance(100);
  expect(pending).toHaveLength(3);
});

it("executes a requested commit when it is closed, and none afterwards", async () => {
  const { pending, commit } = broker();
  const clock = new FakeClock();
  const commits = new OffsetCommits(clock, 5000, 5000);
  commits.request(commit);
  pending[0]?.resolve();
  await immediate();
  commits.request(commit);
  const closing = commits.close();
  await immediate();
  expect(pending).toHaveLength(2);
  pending[1]?.reject(new Error("unreachable"));
  await closing;
  await clock.advance(10_000);
  expect(pending).toHaveLength(2);
});

it("repeats a commit that gets no response in time", async () => {
  const { pending, commit } = broker();
  const clock = new FakeClock();
  const commits = new OffsetCommits(clock, 1000, 300);
  commits.request(commit);
  await clock.advance(299 + 1000);
  expect(pending).toHaveLength(1);
  await clock.advance(1);
  expect(pending).toHaveLength(2);
  pending[1]?.resolve();
  await immediate();
  await clock.advance(10_000);
  expect(pending).toHaveLength(2);
});

it("waits for a commit no longer than its timeout when it is closed", async () => {
  const { commit } = broker();
  const clock = new FakeClock();
  const commits = new OffsetCommits(clock, 1000, 300);
  commits.request(commit);
  const closed = commits.close();
  await clock.advance(300);
  await expect(closed).resolves.toBeUndefined();
});
