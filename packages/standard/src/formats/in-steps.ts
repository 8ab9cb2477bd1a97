// Long conversions in steps, between which other runs make progress.
import type { Awaitable, Clock } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";

/** Performs the steps, then returns the result: immediately when they are short. A format without a clock performs them all at once. */
export function inSteps<T>(steps: Iterator<undefined>, result: () => T, clock: Clock | undefined): Awaitable<T> {
  return eachInSteps(steps, () => undefined, result, clock);
}

/** Like {@link inSteps}, with one call per item. */
export function eachInSteps<I, T>(items: Iterator<I>, body: (item: I) => Awaitable, result: () => T, clock: Clock | undefined): Awaitable<T> {
  if (clock === undefined) {
    for (let next = items.next(); next.done !== true; next = items.next()) void body(next.value);
    return result();
  }
  const pending = each(items, body, clock);
  return pending instanceof Promise ? pending.then(result) : result();
}
