// Strategies that collect into a list. The list becomes the body only on completion; until then the result has the body of the
// first message.
import { defineBean, type BeanDeclaration, type Exchange } from "@sluice/engine/spi";
import type { AggregationStrategy } from "./aggregation-strategy.ts";

/** Camel's property for the list until the result is complete. */
const listProperty = "CamelGroupedExchange";

/** The list collected so far. */
function collectedList(result: Exchange): unknown[] {
  const existing = result.property(listProperty);
  if (Array.isArray(existing)) return existing as unknown[];
  const list: unknown[] = [];
  result.setProperty(listProperty, list);
  return list;
}

/** The last collected item; undefined when the strategy collects no list. */
export function lastCollected(result: Exchange): unknown {
  const list = result.property(listProperty);
  return Array.isArray(list) ? list.at(-1) : undefined;
}

/** Collects the value of `pick` for each message, without nulls. */
export function listStrategy(pick: (exchange: Exchange) => unknown): AggregationStrategy {
  return {
    aggregate(old, next) {
      const result = old ?? next;
      const list = collectedList(result);
      const value = pick(next);
      if (value !== null && value !== undefined) list.push(value);
      return result;
    },
    complete(result) {
      result.message.body = collectedList(result);
      result.removeProperty(listProperty);
    },
  };
}

function groupingStrategy(what: "Body" | "Message" | "Exchange", summary: string, pick: (exchange: Exchange) => unknown): BeanDeclaration {
  const name = `Grouped${what}AggregationStrategy`;
  return defineBean({
    names: [`org.apache.camel.processor.aggregate.${name}`, name, `grouped${what}`],
    kind: "aggregation-strategy",
    title: `Grouped ${what.toLowerCase()}`,
    summary,
    group: "aggregation",
    since: "0.1",
    properties: {},
    create: () => listStrategy(pick),
  });
}

export const groupedBody = groupingStrategy("Body", "The body of the result is the list of all bodies.", (exchange) => exchange.message.body);
/** A copy, because the first message also contains the list. */
export const groupedMessage = groupingStrategy("Message", "The body of the result is the list of all messages, including headers.", (exchange) =>
  exchange.message.copy(),
);
export const groupedExchange = groupingStrategy("Exchange", "The body of the result is the list of all messages, including headers.", (exchange) =>
  exchange.message.copy(),
);
