// Strategies that collect into a list. The list is kept aside and becomes the body only on completion, so that until
// then the aggregate shows the first message.
import { defineBean, type BeanDeclaration, type Exchange } from "@sluice/engine/spi";
import type { AggregationStrategy } from "./aggregation-strategy.ts";

/** The property that holds the list until the result is complete; Camel's name for it. */
const collected = "CamelGroupedExchange";

/** What was collected so far on a result. */
function collectedIn(result: Exchange): unknown[] {
  const known = result.property(collected);
  if (Array.isArray(known)) return known as unknown[];
  const list: unknown[] = [];
  result.setProperty(collected, list);
  return list;
}

/** Collects what `pick` takes of each message; null is left out. */
export function listStrategy(pick: (exchange: Exchange) => unknown): AggregationStrategy {
  return {
    aggregate(old, next) {
      const result = old ?? next;
      const list = collectedIn(result);
      const value = pick(next);
      if (value !== null && value !== undefined) list.push(value);
      return result;
    },
    complete(result) {
      result.message.body = collectedIn(result);
      result.removeProperty(collected);
    },
  };
}

function grouped(what: "Body" | "Message" | "Exchange", summary: string, pick: (exchange: Exchange) => unknown): BeanDeclaration {
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

export const groupedBody = grouped("Body", "The result's body is the list of all bodies.", (exchange) => exchange.message.body);
/** A copy, because the first message is also the one that carries the list in the end. */
export const groupedMessage = grouped("Message", "The result's body is the list of all messages, headers included.", (exchange) => exchange.message.copy());
export const groupedExchange = grouped("Exchange", "The result's body is the list of all messages, headers included.", (exchange) => exchange.message.copy());
