import type { Clock } from "@sluice/engine";

/** The wall clock's time in whole milliseconds, but it never goes back, and goes on when the wall clock is set back. */
export function steadyTime(clock: Clock, atLeast: number): () => number {
  let last = Math.max(atLeast, clock.now());
  let seen = clock.monotonic();
  return () => {
    const monotonic = clock.monotonic();
    last = Math.max(last + (monotonic - seen), clock.now());
    seen = monotonic;
    return Math.floor(last);
  };
}
