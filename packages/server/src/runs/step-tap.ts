// Notes the steps of every run for the history. Wrapped around each step of each route for as long as the process lives,
// so it does as little as possible: one small record per step, no promise unless the step waits.
import type { Exchange, Processor, StepRecord, Tap } from "@sluice/engine";
import type { StepNode } from "@sluice/model";

/** Steps noted per run; a split of a million lines must not fill the memory. */
const longestTrail = 200;

/** Asked for once: the getter costs as much as reading the clock. */
const { timeOrigin } = performance;

export const stepTap: Tap = { layer: 30, covers: () => true, step: noted };

function noted(next: Processor, node: StepNode): Processor {
  const { id, name } = node;
  return (exchange) => {
    const { run } = exchange;
    const steps = (run.steps ??= []);
    const record = exchange.attempt > 1 ? again(steps, id, exchange) : undefined;
    if (record === undefined && steps.length >= longestTrail) return next(exchange);
    const began = performance.now();
    const mine: StepRecord = record ?? { stepId: id, kind: name, startedAt: timeOrigin + began, durationMs: 0, status: "running", attempts: 1 };
    if (record === undefined) steps.push(mine);
    let pending: void | Promise<void>;
    try {
      pending = next(exchange);
    } catch (thrown) {
      finish(mine, began, "failed");
      throw thrown;
    }
    if (pending === undefined) {
      finish(mine, began, "completed");
      return undefined;
    }
    return pending.then(
      () => finish(mine, began, "completed"),
      (thrown: unknown) => {
        finish(mine, began, "failed");
        throw thrown;
      },
    );
  };
}

function finish(record: StepRecord, began: number, status: "completed" | "failed"): void {
  record.durationMs = performance.now() - began;
  record.status = status;
}

/** A redelivery continues the record of the step that failed. */
function again(steps: readonly StepRecord[], stepId: string, exchange: Exchange): StepRecord | undefined {
  for (let index = steps.length - 1; index >= 0; index--) {
    const record = steps[index] as StepRecord;
    if (record.stepId !== stepId) continue;
    record.attempts = exchange.attempt;
    record.status = "running";
    return record;
  }
  return undefined;
}
