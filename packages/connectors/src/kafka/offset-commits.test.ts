import { setImmediate as immediate } from "node:timers/promises";
import { FakeClock } from "@sluice/testkit";
import { expect, it } from "vitest";
import { OffsetCommits } from "./offset-commits.ts";

/** A commit that ends when the test says so. */
function broker(): { readonly pending: PromiseWithResolvers<void>[]; readonly commit: () => Promise<void> } {
  const pending: PromiseWithResolvers<void>[] = [];
  const commit = (): Promise<void> => {
    const one = {} as PromiseWithResolvers<void>;
    one.promise = new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
    pending.push(one);
    return one.promise;
  };
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
