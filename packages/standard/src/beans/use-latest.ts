import { defineBean, ending, type Exchange } from "@sluice/engine/spi";
import type { AggregationStrategy } from "./aggregation-strategy.ts";

/** Uses the newest message as the result, but keeps the failure of an earlier one. A message whose failure was handled stays the result. */
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
  summary: "Uses the newest message as the result; the failure of an earlier message is kept.",
  group: "aggregation",
  since: "0.1",
  properties: {},
  create: () => useLatestStrategy,
});
