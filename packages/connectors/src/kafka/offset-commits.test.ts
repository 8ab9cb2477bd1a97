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

it("commits once for all requests during a commit, and is idle after that", async () => {
  const { pending, commit } = broker();
  const commits = new OffsetCommits(new FakeClock(), 5000);
  for (let n = 0; n < 3; n++) commits.request(commit);
  expect(pending).toHaveLength(1);
  let isIdle = false;
  const idle = commits.idle().then(() => (isIdle = true));
  pending[0]?.resolve();
  await immediate();
  expect([pending.length, isIdle]).toEqual([2, false]);
  pending[1]?.resolve();
  await idle;
  expect(pending).toHaveLength(2);
});

it("retries a failed commit later, or with the next request, until it is closed", async () => {
  const { pending, commit } = broker();
  const clock = new FakeClock();
  const commits = new OffsetCommits(clock, 5000);
  commits.request(commit);
  pending[0]?.reject(new Error("rebalancing"));
  await commits.idle();
  expect(pending).toHaveLength(1);
  await clock.advance(5000);
  expect(pending).toHaveLength(2);
  pending[1]?.reject(new Error("rebalancing"));
  await commits.idle();
  commits.request(commit);
  expect(pending).toHaveLength(3);
  pending[2]?.reject(new Error("rebalancing"));
  await commits.idle();
  commits.close();
  await clock.advance(5000);
  expect(pending).toHaveLength(3);
});
