import type { Exchange } from "@sluice/engine/spi";

/** How several messages become one, for split, multicast, recipientList, enrich and aggregate. */
export interface AggregationStrategy {
  /** Merges `next` into what there is; `old` is undefined for the first. `original` is the exchange the step was given. A failed copy has its `failure` set. */
  aggregate(old: Exchange | undefined, next: Exchange, original: Exchange): Exchange;
  /** Called once with the result, before anybody else sees it. */
  complete?(result: Exchange): void;
  /** Called for each part that was left out because time was up. */
  timeout?(old: Exchange | undefined, index: number): void;
}
