// Incremental conversions: other runs make progress between the increments.
import type { Awaitable, Clock } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";

/** Runs the work, then returns the result: synchronously if the work takes less than a time slice, or if the format has no clock. */
export function runIncrementally<T>(work: Iterator<undefined>, result: () => T, clock: Clock | undefined): Awaitable<T> {
  return eachIncrementally(work, () => undefined, result, clock);
}

/** Like {@link runIncrementally}, with one call per item. */
export function eachIncrementally<I, T>(items: Iterator<I>, body: (item: I) => Awaitable, result: () => T, clock: Clock | undefined): Awaitable<T> {
  if (clock === undefined) {
    for (let next = items.next(); next.done !== true; next = items.next()) void body(next.value);
    return result();
  }
  const pending = each(items, body, clock);
  return pending instanceof Promise ? pending.then(result) : result();
}
