import { asText, defineBean, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import type { AggregationStrategy } from "./aggregation-strategy.ts";

/** Joins the bodies as text. As with lists, the text becomes the body only on completion. */
export function stringStrategy(delimiter: string): AggregationStrategy {
  const texts = new WeakMap<Exchange, string[]>();
  return {
    aggregate(old, next) {
      const result = old ?? next;
      let parts = texts.get(result);
      if (parts === undefined) texts.set(result, (parts = []));
      const { body } = next.message;
      if (body !== null && body !== undefined) parts.push(asText(body));
      return result;
    },
    complete(result) {
      result.message.body = (texts.get(result) ?? []).join(delimiter);
      texts.delete(result);
    },
  };
}

export const stringAggregation = defineBean({
  names: ["org.apache.camel.processor.aggregate.StringAggregationStrategy", "StringAggregationStrategy", "joinText"],
  kind: "aggregation-strategy",
  title: "Join text",
  summary: "The result's body is the text of all bodies, joined.",
  group: "aggregation",
  since: "0.1",
  properties: { delimiter: f.text({ doc: "What stands between two texts.", default: "" }) },
  create: ({ delimiter }) => stringStrategy(delimiter),
});
