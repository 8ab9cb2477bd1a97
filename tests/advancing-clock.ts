// Helpers for flows on the fake clock of the testkit.
import type { FlowUnderTest } from "@sluice/testkit";

/** Advances the fake clock until `work` is settled, at most by `ms`, so that delays take no time. */
export async function withAdvancingClock<T>(run: FlowUnderTest, work: Promise<T>, ms = 100_000): Promise<T> {
  let isSettled = false;
  const settled = work.finally(() => (isSettled = true));
  for (let passed = 0; !isSettled && passed < ms; passed += 50) await run.host.clock.advance(50);
  return settled;
}

/** The bodies that a `mock:` endpoint received. */
export const mockBodies = (run: FlowUnderTest, mock: string): unknown[] => (run.mocks.get(mock) ?? []).map(({ body }) => body);
