// List functions. A single value counts as a list of one, null as an empty list.
import { checkListLength, isMap } from "@sluice/engine/values";
import { areEqual, compareMissingLast, isNothing, isTruthy, scalarOf, toList, toNumber, toText } from "../values.ts";
import { define, type LanguageFunctions } from "./language-function.ts";

export const listFunctions: LanguageFunctions = {
  count: define(1, 1, (value) => toList(value).length),
  first: define(1, 1, (value) => toList(value)[0] ?? null),
  last: define(1, 1, (value) => toList(value).at(-1) ?? null),
  at: define(2, 2, (value, index) => toList(value).at(Math.trunc(toNumber(index) ?? 0)) ?? null),
  slice: define(2, 3, (value, start, end) => toList(value).slice(toNumber(start) ?? 0, isNothing(end) ? undefined : (toNumber(end) ?? undefined))),
  reverse: define(1, 1, (value) => (typeof value === "string" ? [...value].toReversed().join("") : toList(value).toReversed())),
  sort: define(1, 1, (value) => toList(value).toSorted((one, other) => compareMissingLast(one, other, 1))),
  distinct: define(1, 1, (value) => {
    const seen = new Map<string, unknown>();
    for (const item of toList(value)) {
      const key = toText(item);
      if (!seen.has(key)) seen.set(key, scalarOf(item));
    }
    return [...seen.values()];
  }),
  flatten: define(1, 1, (value) => toList(value).flat()),
  append: define(2, 100, (...values) => values.flatMap((value) => toList(value))),
  range: define(2, 2, (from, to) => {
    const start = Math.trunc(toNumber(from) ?? 0);
    const length = Math.max(0, Math.trunc(toNumber(to) ?? 0) - start + 1);
    checkListLength(length);
    return Array.from({ length }, (_, index) => start + index);
  }),
  keys: define(1, 1, (value) => (value instanceof Map ? [...value.keys()] : isMap(value) ? Object.keys(value) : [])),
  values: define(1, 1, (value) => (value instanceof Map ? [...value.values()] : isMap(value) ? Object.values(value) : [])),
  exists: define(1, 1, (value) => !isNothing(value) && (!Array.isArray(value) || value.length > 0)),
  empty: define(1, 1, (value) => isNothing(value) || scalarOf(value) === "" || (Array.isArray(value) && value.length === 0)),
  isNull: define(1, 1, isNothing),
  not: define(1, 1, (value) => !isTruthy(value)),
  boolean: define(1, 1, (value) => isTruthy(value)),
  equals: define(2, 2, areEqual),
  default: define(2, 2, (value, fallback) => (isNothing(value) || value === "" ? fallback : value)),
  all: define(1, 1, (value) => toList(value).every(isTruthy)),
  any: define(1, 1, (value) => toList(value).some(isTruthy)),
};
