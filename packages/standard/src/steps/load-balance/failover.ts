import type { Awaitable, Exchange, Host, Processor } from "@sluice/engine/spi";
import { copyExchange } from "@sluice/engine/tools";
import { isOneOf } from "../exception-type.ts";
import { runBranch } from "../branch.ts";
import { mergeResult } from "../merge-result.ts";

export interface FailoverOptions {
  readonly exception: readonly string[];
  readonly maximumFailoverAttempts: number;
  readonly roundRobin: boolean;
  readonly sticky: boolean;
}

/** Tries the children in order, each with a new copy, until one succeeds; if all fail, the last failure is the result. */
export function failover(children: readonly Processor[], options: FailoverOptions, host: Host): Processor {
  const { exception, maximumFailoverAttempts: maxAttempts } = options;
  // Round robin without a limit would never end: try every child once.
  const maxTries = maxAttempts < 0 ? children.length : options.roundRobin || options.sticky ? maxAttempts + 1 : Math.min(maxAttempts + 1, children.length);
  // With sticky, the child to start with; with round robin, the child tried last, so that the next message starts after it.
  let current = options.sticky ? 0 : -1;

  const attempt = (exchange: Exchange, start: number, attempts: number): Awaitable => {
    for (let count = attempts; ; count++) {
      const index = (start + count) % children.length;
      if (options.roundRobin && !options.sticky) current = index;
      const copy = copyExchange(exchange, host.ids, { sameUnit: true });
      const pending = runBranch({ copy, run: children[index] as Processor });
      if (pending instanceof Promise)
        return pending.then(() => (finishAttempt(exchange, copy, index, count) ? undefined : attempt(exchange, start, count + 1)));
      if (finishAttempt(exchange, copy, index, count)) return undefined;
    }
  };

  /** Merges the result of an attempt, or throws its failure; false when the next child is tried instead. */
  const finishAttempt = (exchange: Exchange, copy: Exchange, index: number, count: number): boolean => {
    const { failure } = copy;
    const triesNext = failure !== undefined && !copy.run.isCancelled && (exception.length === 0 || isOneOf(failure, exception)) && count + 1 < maxTries;
    if (triesNext) return false;
    if (options.sticky && failure === undefined) current = index;
    mergeResult(exchange, copy, { stops: true });
    return true;
  };

  return (exchange) => {
    if (options.sticky) return attempt(exchange, current, 0);
    return attempt(exchange, options.roundRobin ? (current + 1) % children.length : 0, 0);
  };
}
