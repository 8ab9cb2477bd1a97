import { copyExchange, type Awaitable, type Exchange, type Host, type Processor } from "@sluice/engine/spi";
import { isOneOf } from "../exception-type.ts";
import { runBranch } from "../branch.ts";
import { mergeResult } from "../merge-result.ts";

export interface FailoverOptions {
  readonly exception: readonly string[];
  readonly maximumFailoverAttempts: number;
  readonly roundRobin: boolean;
  readonly sticky: boolean;
}

/** Tries child after child, each with a fresh copy, until one does not fail; the last failure is the result when all do. */
export function failover(children: readonly Processor[], options: FailoverOptions, host: Host): Processor {
  const { exception, maximumFailoverAttempts: most } = options;
  // In turn without a limit would go round for ever: every child has one try.
  const tries = most < 0 ? children.length : options.roundRobin || options.sticky ? most + 1 : Math.min(most + 1, children.length);
  let next = 0;

  const attempt = (exchange: Exchange, start: number, done: number): Awaitable => {
    for (let count = done; ; count++) {
      const index = (start + count) % children.length;
      const copy = copyExchange(exchange, host.ids);
      const pending = runBranch({ copy, run: children[index] as Processor });
      if (pending instanceof Promise) return pending.then(() => (settled(exchange, copy, index, count) ? undefined : attempt(exchange, start, count + 1)));
      if (settled(exchange, copy, index, count)) return undefined;
    }
  };

  /** True when the result stands; throws it when it is a failure that cannot move on. */
  const settled = (exchange: Exchange, copy: Exchange, index: number, count: number): boolean => {
    const { failure } = copy;
    const movesOn = failure !== undefined && !copy.run.isCancelled && (exception.length === 0 || isOneOf(failure, exception)) && count + 1 < tries;
    if (movesOn) return false;
    if (options.sticky && failure === undefined) next = index;
    mergeResult(exchange, copy, { stops: true });
    return true;
  };

  return (exchange) => {
    const start = options.roundRobin || options.sticky ? next : 0;
    if (options.roundRobin) next = (next + 1) % children.length;
    return attempt(exchange, start, 0);
  };
}
