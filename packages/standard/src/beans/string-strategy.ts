import { defineBean } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import type { AggregationStrategy } from "./aggregation-strategy.ts";
import { listStrategy } from "./grouped.ts";

/** Joins the bodies as text. The text becomes the body only on completion. */
function stringStrategy(delimiter: string): AggregationStrategy {
  const list = listStrategy(({ message: { body } }) => (body === null || body === undefined ? undefined : asText(body)));
  return {
    aggregate: (old, next, original) => list.aggregate(old, next, original),
    complete(result) {
      list.complete?.(result);
      result.message.body = (result.message.body as readonly string[]).join(delimiter);
    },
  };
}

export const stringAggregation = defineBean({
  names: ["org.apache.camel.processor.aggregate.StringAggregationStrategy", "StringAggregationStrategy", "joinText"],
  kind: "aggregation-strategy",
  title: "Join text",
  summary: "Joins the text of all bodies into the body of the result.",
  group: "aggregation",
  since: "0.1",
  properties: { delimiter: f.text({ doc: "Text between the bodies.", default: "" }) },
  create: ({ delimiter }) => stringStrategy(delimiter),
});
