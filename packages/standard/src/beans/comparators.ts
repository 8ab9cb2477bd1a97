// Comparators for the sort step, under the names of the Java objects that flows use.
import { defineBean } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";

export type Comparator = (left: unknown, right: unknown) => number;

/** Compares numbers by value, dates by time, other values as text; null comes first. */
export const naturalOrder: Comparator = (left, right) => {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
  return textOrder(asText(left), asText(right));
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
  create: (): Comparator => (left, right) => naturalOrder(right, left),
});

export const caseInsensitiveOrder = defineBean({
  ...commonMembers,
  names: ["java.lang.String$CaseInsensitiveComparator", "caseInsensitiveOrder"],
  title: "Case-insensitive order",
  summary: "Sorts text case-insensitively.",
  create: (): Comparator => (left, right) => textOrder(asText(left).toUpperCase().toLowerCase(), asText(right).toUpperCase().toLowerCase()),
});
