import { defineBean, ending, type Exchange } from "@sluice/engine/spi";
import type { AggregationStrategy } from "./aggregation-strategy.ts";

/** The newest message is the result, unless an earlier one failed: a failure is never lost. */
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
  summary: "The newest message is the result, unless an earlier one failed.",
  group: "aggregation",
  since: "0.1",
  properties: {},
  create: () => useLatestStrategy,
});
