import { toFlowError, type Awaitable, type Exchange, type Processor } from "@sluice/engine/spi";
import { endExchange } from "@sluice/engine/tools";
import { settle } from "./settle.ts";

/** One copy of the exchange and the processor it runs. */
export interface Branch {
  readonly copy: Exchange;
  readonly run: Processor;
}

export type Branches = Iterator<Branch> | AsyncIterator<Branch>;

/** Runs a copy to its end. A failure is stored on the copy, so that the other copies still run. */
export function runBranch({ copy, run }: Branch): Awaitable {
  return settle(
    () => run(copy),
    () => endCopy(copy),
    (error) => {
      error.stepId ??= copy.at?.id;
      error.routeId ??= copy.run.route.id;
      copy.failure = error;
      return endCopy(copy);
    },
  );
}

/** Completes a copy, since no route does; a failing completion handler fails the copy. */
function endCopy(copy: Exchange): Awaitable {
  return endExchange(copy, (error) => void (copy.failure ??= toFlowError(error)));
}
