// Long conversions in steps, between which other runs make progress.
import type { Awaitable, Clock } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";

/** Performs the steps, then returns the result: immediately when they are short. A format without a clock performs them all at once. */
export function inSteps<T>(steps: Iterator<undefined>, result: () => T, clock: Clock | undefined): Awaitable<T> {
  if (clock === undefined) {
    while (steps.next().done !== true);
    return result();
  }
  const pending = each(steps, () => undefined, clock);
  return pending instanceof Promise ? pending.then(result) : result();
}
