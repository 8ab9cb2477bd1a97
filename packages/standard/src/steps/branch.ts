import type { Awaitable, Exchange, Processor } from "@sluice/engine/spi";
import { settle } from "./settle.ts";
import { endCopy } from "./when-over.ts";

/** One copy and what is to run with it. */
export interface Branch {
  readonly copy: Exchange;
  readonly run: Processor;
}

export type Branches = Iterator<Branch> | AsyncIterator<Branch>;

/** Runs a copy to its end; a failure stays with the copy, because the other copies still have their turn. */
export function runBranch({ copy, run }: Branch): Awaitable {
  return settle(
    () => run(copy),
    () => endCopy(copy),
    (error) => {
      error.stepId ??= copy.at?.id;
      error.routeId ??= copy.run.route.id;
      copy.failure = error;
      endCopy(copy);
    },
  );
}
