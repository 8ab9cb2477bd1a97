import type { Clock } from "@sluice/engine";

/** Wall-clock time in whole milliseconds that never decreases; it keeps advancing when the wall clock is set back. */
export function monotonicClock(clock: Clock, atLeast: number): () => number {
  let last = Math.max(atLeast, clock.now());
  let lastMonotonic = clock.monotonic();
  return () => {
    const monotonic = clock.monotonic();
    last = Math.max(last + (monotonic - lastMonotonic), clock.now());
    lastMonotonic = monotonic;
    return Math.floor(last);
  };
}
