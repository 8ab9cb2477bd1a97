import { asText, defineStep, FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { isAsync, itemsOf } from "../items.ts";

export const sort = defineStep({
  name: "sort",
  title: "Sort",
  summary: "Sorts a list; the sorted list is the new body.",
  group: "message",
  icon: "arrow-down-a-z",
  since: "0.1",
  options: {
    expression: f.expression({ doc: "What to sort; the body when not given.", inline: true }),
  },
  examples: [{ title: "Numbers", yaml: 'sort: {simple: "${body}"}', given: { body: [3, 1, 2] }, expect: { body: [1, 2, 3] } }],
  compile({ expression }, compiler) {
    const value = expression === undefined ? undefined : compiler.expression(expression);
    return (exchange) => {
      const items = itemsOf(value === undefined ? exchange.message.body : value(exchange), ",");
      if (isAsync(items)) throw new FlowError("java.lang.IllegalArgumentException", "sort needs a list; a stream cannot be sorted", { code: "sort-invalid" });
      exchange.message.body = [...{ [Symbol.iterator]: () => items }].toSorted(naturalOrder);
    };
  },
});

/** Numbers by size, dates by time, everything else as text; null comes first. */
function naturalOrder(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (one instanceof Date && other instanceof Date) return one.getTime() - other.getTime();
  const left = asText(one);
  const right = asText(other);
  return left < right ? -1 : left > right ? 1 : 0;
}
