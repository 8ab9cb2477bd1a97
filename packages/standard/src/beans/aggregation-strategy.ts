import type { Exchange } from "@sluice/engine/spi";

/** How several messages become one, for split, multicast, recipientList, enrich and aggregate. */
export interface AggregationStrategy {
  /** Merges `next` into the result so far; `old` is undefined for the first. `original` is the exchange of the step. A failed copy has its `failure` set. */
  aggregate(old: Exchange | undefined, next: Exchange, original: Exchange): Exchange;
  /** Called once with the final result. */
  complete?(result: Exchange): void;
  /** Called for each part that did not finish before the timeout. */
  timeout?(old: Exchange | undefined, index: number): void;
}
