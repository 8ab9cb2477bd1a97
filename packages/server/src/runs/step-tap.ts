// Records the steps of every run for the history. It wraps every step permanently, so it does as little as possible: two clock reads
// and one record per step, and no promise unless the step is asynchronous.
import type { Processor, Tap } from "@sluice/engine";
import type { StepNode } from "@sluice/model";

/** Cached: the getter is as slow as reading the clock. */
const { timeOrigin } = performance;

export const stepTap: Tap = { layer: 30, covers: () => true, step: noted };

function noted(next: Processor, node: StepNode): Processor {
  const name = { stepId: node.id, kind: node.name };
  return (exchange) => {
    const { trail } = exchange.run;
    if (trail === undefined) return next(exchange);
    const began = performance.now();
    const known = exchange.attempt > 1 ? trail.again(name, exchange.attempt, timeOrigin + began) : -1;
    const place = known >= 0 ? known : trail.begin(name, timeOrigin + began);
    if (place < 0) return next(exchange);
    let pending: void | Promise<void>;
    try {
      pending = next(exchange);
    } catch (thrown) {
      trail.end(place, performance.now() - began, true);
      throw thrown;
    }
    if (pending === undefined) {
      trail.end(place, performance.now() - began, false);
      return undefined;
    }
    return pending.then(
      () => trail.end(place, performance.now() - began, false),
      (thrown: unknown) => {
        trail.end(place, performance.now() - began, true);
        throw thrown;
      },
    );
  };
}
