// The functions that the mapper offers, and how each is applied to the current formula.
import { functionGroups } from "../strings/mapper.ts";

export interface MappingFunction {
  readonly name: string;
  readonly group: string;
  /** Its syntax; `x` is the current formula. */
  readonly example: string;
}

/** Example calls of functions whose arguments are not just the current value. */
const examples: Readonly<Record<string, string>> = {
  substring: "substring(x, 0, 10)",
  left: "left(x, 10)",
  right: "right(x, 10)",
  substringBefore: "substringBefore(x, '-')",
  substringAfter: "substringAfter(x, '-')",
  padStart: "padStart(x, 10, '0')",
  padEnd: "padEnd(x, 10, ' ')",
  replace: "replace(x, 'a', 'b')",
  replacePattern: "replacePattern(x, '[^0-9]', '')",
  matches: "matches(x, '[A-Z]+')",
  contains: "contains(x, 'a')",
  startsWith: "startsWith(x, 'a')",
  endsWith: "endsWith(x, 'a')",
  split: "split(x, ',')",
  join: "join(x, ', ')",
  round: "round(x, 2)",
  formatNumber: "formatNumber(x, '0.00')",
  formatDate: "formatDate(x, 'yyyyMMdd')",
  parseDate: "parseDate(x, 'dd.MM.yyyy')",
  addDays: "addDays(x, 1)",
  addMonths: "addMonths(x, 1)",
  daysBetween: "daysBetween(x, today())",
  now: "now()",
  today: "today()",
  slice: "slice(x, 0, 10)",
  if: "if(x == '', 'yes', 'no')",
  coalesce: "coalesce(x, '')",
  default: "default(x, '')",
  equals: "equals(x, '')",
};

export const mappingFunctions: readonly MappingFunction[] = functionGroups.flatMap(({ title, names }) =>
  names.split(" ").map((name) => ({ name, group: title, example: examples[name] ?? `${name}(x)` })),
);

/** Wraps a formula in the function. */
export const applyFunction = ({ example }: MappingFunction, formula: string): string => example.replace(/\bx\b/, () => (formula === "" ? "''" : formula));
