import { defineStep, FlowError, type Awaitable, type Clock } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";
import { asText, checkListLength } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { naturalOrder, type Comparator } from "../../beans/comparators.ts";
import { countedItems, isAsync } from "../items.ts";
import { after } from "../settle.ts";
import { sortInSlices } from "./sort-in-slices.ts";

/** Garbage collection pauses grow with the number of live objects: a million objects block the event loop for 250 ms. */
const maxElements = 500_000;

export const sort = defineStep({
  name: "sort",
  title: "Sort",
  summary: "Sorts a list; the sorted list is the new body.",
  guarantees: "The sort is stable. Long lists are sorted in slices, so that other messages make progress. A list may have at most 500,000 elements.",
  group: "message",
  icon: "arrow-down-a-z",
  paletteGroup: "data",
  card: { subtitle: "{expression}" },
  since: "0.1",
  options: {
    expression: f.expression({ doc: "The list to sort; the body by default. Text is split at commas. A list may have up to 500,000 elements.", inline: true }),
    comparator: f.string({
      doc: "The comparator: the name of a bean, or #class:<type>; natural order by default.",
      examples: ["#class:java.util.Collections$ReverseComparator"],
    }),
  },
  examples: [{ title: "Numbers", yaml: 'sort: {simple: "${body}"}', given: { body: [3, 1, 2] }, expect: { body: [1, 2, 3] } }],
  compile({ expression, comparator }, compiler) {
    const compare = comparator === undefined ? undefined : (compiler.registry.bean(comparator, "comparator") as Comparator);
    const value = expression === undefined ? undefined : compiler.expression(expression);
    const { clock } = compiler.host;
    return (exchange) => {
      const { items, size } = countedItems(value === undefined ? exchange.message.body : value(exchange), ",");
      if (isAsync(items))
        throw new FlowError("java.lang.IllegalArgumentException", "sort needs a list, but the value is a stream; convert it to a list first", {
          code: "sort-invalid",
        });
      if (size !== undefined) checkListLength(size, maxElements);
      const sorted = after(collect(items, clock), (list) => (compare === undefined ? sortNaturally(list, clock) : sortInSlices(list, compare, clock)));
      return after(sorted, (list) => void (exchange.message.body = list));
    };
  },
});

function collect(items: Iterator<unknown>, clock: Clock): Awaitable<unknown[]> {
  const list: unknown[] = [];
  const done = each(
    items,
    (item) => {
      checkListLength(list.length, maxElements);
      list.push(item);
    },
    clock,
  );
  return after(done, () => list);
}

/** An item with its sort key, computed once instead of at every comparison. */
interface Entry {
  readonly item: unknown;
  readonly key: Key;
}

type Key = number | string | Date;

function sortNaturally(list: readonly unknown[], clock: Clock): Awaitable<readonly unknown[]> {
  // Most lists need no entries; half a million of them would slow down the garbage collector.
  if (list.every(isKey)) return sortInSlices(list, naturalOrder, clock);
  const entries: Entry[] = [];
  const keyed = each(list.values(), (item) => void entries.push({ item, key: isKey(item) ? item : asText(item) }), clock);
  return after(keyed, () => after(sortInSlices(entries, byKey, clock), (sorted) => sorted.map(({ item }) => item)));
}

const isKey = (item: unknown): item is Key => typeof item === "string" || typeof item === "number" || item instanceof Date;

const byKey = (left: Entry, right: Entry): number => naturalOrder(left.key, right.key);
