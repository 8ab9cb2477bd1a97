// Records the steps of every run for the history. It wraps every step permanently, so it does as little as possible: two clock reads
// and one record per step, and no promise unless the step is asynchronous.
import type { Processor, Tap } from "@sluice/engine";
import type { StepNode } from "@sluice/model";

/** Cached: the getter is as slow as reading the clock. */
const { timeOrigin } = performance;

export const stepTap: Tap = { layer: 30, covers: () => true, step: recordStep };

function recordStep(next: Processor, node: StepNode): Processor {
  const name = { stepId: node.id, kind: node.name };
  return (exchange) => {
    const { trail } = exchange.run;
    // The split of a long list can have thousands of steps that are not recorded: they skip reading the clock.
    if (trail === undefined || (trail.isFull && exchange.attempt === 1)) return next(exchange);
    const startedMs = performance.now();
    const repeatedIndex = exchange.attempt > 1 ? trail.retry(name, exchange.attempt, timeOrigin + startedMs) : -1;
    const index = repeatedIndex >= 0 ? repeatedIndex : trail.begin(name, timeOrigin + startedMs);
    if (index < 0) return next(exchange);
    let pending: void | Promise<void>;
    try {
      pending = next(exchange);
    } catch (error) {
      trail.end(index, performance.now() - startedMs, true);
      throw error;
    }
    if (pending === undefined) {
      trail.end(index, performance.now() - startedMs, false);
      return undefined;
    }
    return pending.then(
      () => trail.end(index, performance.now() - startedMs, false),
      (error: unknown) => {
        trail.end(index, performance.now() - startedMs, true);
        throw error;
      },
    );
  };
}
