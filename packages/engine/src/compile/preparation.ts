import { cancelledError } from "../tools/pacing.ts";
import type { Processor } from "../spi/processor.ts";

/** Runs the work that the step's expressions registered, then the step. Returns the step itself when no work is registered. */
export function withPreparation(work: readonly Processor[], step: Processor): Processor {
  if (work.length === 0) return step;
  return (exchange) => {
    let pending: Promise<void>[] | undefined;
    for (let index = 0; index < work.length; index++) {
      const running = (work[index] as Processor)(exchange);
      if (running !== undefined) (pending ??= []).push(running);
    }
    if (pending === undefined) return step(exchange);
    return Promise.all(pending).then(() => {
      if (exchange.run.isCancelled) throw cancelledError(exchange.run.signal);
      return step(exchange);
    });
  };
}
