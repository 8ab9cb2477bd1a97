import { FakeClock } from "@sluice/testkit";
import { expect, it } from "vitest";
import { TimeSpent } from "./time-spent.ts";

it("adds up the time between checks, from zero for each evaluation", async () => {
  const clock = new FakeClock();
  const spent = new TimeSpent(clock);
  for (let evaluation = 0; evaluation < 2; evaluation++) {
    await clock.advance(1_000);
    spent.begin();
    expect(spent.isOver(150)).toBe(false);
    for (let attempt = 0; attempt < 15; attempt++) {
      await clock.advance(10);
      expect(spent.isOver(150)).toBe(false);
    }
    await clock.advance(1);
    expect(spent.isOver(150)).toBe(true);
  }
});

it("tolerates a suspended process, but not one that is slow at every check", async () => {
  const clock = new FakeClock();
  const spent = new TimeSpent(clock);
  spent.begin();
  await clock.freeze(60_000);
  expect(spent.isOver(150)).toBe(false);
  const results: boolean[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    await clock.advance(1_000);
    results.push(spent.isOver(150));
  }
  expect(results).toEqual([false, false, true]);
});
