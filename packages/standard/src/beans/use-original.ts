import { defineBean, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import type { AggregationStrategy } from "./aggregation-strategy.ts";

/** Uses the message from before the step as the result; the last failure of a part fails it, unless disabled. */
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
  summary: "Uses the original message as the result; by default, the failure of a part fails it.",
  group: "aggregation",
  since: "0.1",
  properties: { propagateException: f.boolean({ doc: "Whether the failure of a part fails the message.", default: true }) },
  constructorProperties: ["propagateException"],
  create: ({ propagateException }) => useOriginalStrategy(propagateException),
});
