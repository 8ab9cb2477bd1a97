import { defineBean, ending, type Exchange } from "@sluice/engine/spi";
import type { AggregationStrategy } from "./aggregation-strategy.ts";

/** The newest message wins, but a failure is never lost: an earlier one stays the result. */
export const useLatestStrategy: AggregationStrategy = {
  aggregate(old: Exchange | undefined, next: Exchange): Exchange {
    if (old === undefined) return next;
    if (old.ending === ending.handled) return old;
    if (old.failure !== undefined) next.failure ??= old.failure;
    return next;
  },
};

export const useLatest = defineBean({
  names: ["org.apache.camel.processor.aggregate.UseLatestAggregationStrategy", "UseLatestAggregationStrategy", "useLatest"],
  kind: "aggregation-strategy",
  title: "Use latest",
  summary: "The newest message is the result; an earlier failure stays.",
  group: "aggregation",
  since: "0.1",
  properties: {},
  create: () => useLatestStrategy,
});
