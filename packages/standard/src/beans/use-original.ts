import { defineBean, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import type { AggregationStrategy } from "./aggregation-strategy.ts";

/** The message stays as it was before the step; the last failure of a part becomes its own unless told otherwise. */
export function useOriginalStrategy(propagateException: boolean): AggregationStrategy {
  return {
    aggregate(_old: Exchange | undefined, next: Exchange, original: Exchange): Exchange {
      if (propagateException && next !== original && next.failure !== undefined) original.failure = next.failure;
      return original;
    },
  };
}

export const useOriginal = defineBean({
  names: ["org.apache.camel.processor.aggregate.UseOriginalAggregationStrategy", "UseOriginalAggregationStrategy", "useOriginal"],
  kind: "aggregation-strategy",
  title: "Use original",
  summary: "The original message is the result; failures of parts count.",
  group: "aggregation",
  since: "0.1",
  properties: { propagateException: f.boolean({ doc: "Whether a part's failure fails the whole.", default: true }) },
  create: ({ propagateException }) => useOriginalStrategy(propagateException),
});
