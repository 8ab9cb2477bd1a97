// Notes the steps of every run for the history. Wrapped around each step of each route for as long as the process lives,
// so it does as little as possible: two looks at the clock per step, nothing allocated, no promise unless the step waits.
import type { Processor, Run, StepTrail, Tap } from "@sluice/engine";
import type { StepNode } from "@sluice/model";

/** Asked for once: the getter costs as much as reading the clock. */
const { timeOrigin } = performance;

export const stepTap: Tap = { layer: 30, covers: () => true, step: noted };

function noted(next: Processor, node: StepNode): Processor {
  const name = { stepId: node.id, kind: node.name };
  return (exchange) => {
    const { run } = exchange;
    const { trail } = run;
    if (trail === undefined) return next(exchange);
    const began = performance.now();
    const known = exchange.attempt > 1 ? trail.again(name, exchange.attempt) : -1;
    const place = known >= 0 ? known : trail.begin(name, timeOrigin + began);
    if (place < 0) return next(exchange);
    let pending: void | Promise<void>;
    try {
      pending = next(exchange);
    } catch (thrown) {
      finish(run, trail, place, began, true);
      throw thrown;
    }
    if (pending === undefined) {
      finish(run, trail, place, began, false);
      return undefined;
    }
    return pending.then(
      () => finish(run, trail, place, began, false),
      (thrown: unknown) => {
        finish(run, trail, place, began, true);
        throw thrown;
      },
    );
  };
}

function finish(run: Run, trail: StepTrail, place: number, began: number, failed: boolean): void {
  // A step that was given up may end after its run.
  if (run.trail === trail) trail.end(place, performance.now() - began, failed);
}
