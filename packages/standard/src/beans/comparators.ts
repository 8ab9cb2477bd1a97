// Comparators for the sort step, under the names of the Java objects that flows use.
import { defineBean } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";

export type Comparator = (one: unknown, other: unknown) => number;

/** Compares numbers by value, dates by time, other values as text; null comes first. */
export const naturalOrder: Comparator = (one, other) => {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (one instanceof Date && other instanceof Date) return one.getTime() - other.getTime();
  return textOrder(asText(one), asText(other));
};

function textOrder(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

const commonMembers = { kind: "comparator", group: "order", since: "0.1", properties: {} } as const;

export const reverseOrder = defineBean({
  ...commonMembers,
  names: ["java.util.Collections$ReverseComparator", "reverseOrder"],
  title: "Reverse order",
  summary: "Sorts in descending order.",
  create: (): Comparator => (one, other) => naturalOrder(other, one),
});

export const caseInsensitiveOrder = defineBean({
  ...commonMembers,
  names: ["java.lang.String$CaseInsensitiveComparator", "caseInsensitiveOrder"],
  title: "Case-insensitive order",
  summary: "Sorts text case-insensitively.",
  create: (): Comparator => (one, other) => textOrder(asText(one).toUpperCase().toLowerCase(), asText(other).toUpperCase().toLowerCase()),
});
