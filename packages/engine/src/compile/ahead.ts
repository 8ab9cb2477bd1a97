import { cancelledError } from "../spi/pacing.ts";
import type { Processor } from "../spi/processor.ts";

/** The step behind the work its expressions asked to have done first; the step itself when there is none. */
export function behind(work: readonly Processor[], step: Processor): Processor {
  if (work.length === 0) return step;
  return (exchange) => {
    const pending = work.map((each) => each(exchange)).filter((promise) => promise !== undefined);
    if (pending.length === 0) return step(exchange);
    return Promise.all(pending).then(() => {
      if (exchange.run.isCancelled) throw cancelledError(exchange.run.signal);
      return step(exchange);
    });
  };
}
