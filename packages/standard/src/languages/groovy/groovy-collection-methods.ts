import { Closure } from "./groovy-closure.ts";
import { isMap, keysOf, sizeOf, valueAt } from "./groovy-maps.ts";
import type { Methods } from "./groovy-methods.ts";
import { add, compare, contains, entriesOf, equal, fault, groovyText, subtract, truth } from "./groovy-operators.ts";
import { spendWork } from "./groovy-work.ts";

const identity = new Closure(1, ([value]) => value);
const closureOf = (value: unknown): Closure => (value instanceof Closure ? value : identity);
const toInteger = (value: unknown): number => Math.trunc(Number(value));

/** Groovy's `sort { a, b -> … }`, `sort { it.key }` and `sort()`. */
function sort(items: readonly unknown[], by: unknown): readonly unknown[] {
  // Sorting compares each item about log2(n) times; the method call itself is already counted.
  spendWork(items.length * Math.log2(items.length + 1) * 0.3);
  if (!(by instanceof Closure)) return items.toSorted(compare);
  if (by.arity >= 2) return items.toSorted((a, b) => Number(by.call(a, b)));
  return items
    .map((item) => ({ item, key: by.call(item) }))
    .toSorted((a, b) => compare(a.key, b.key))
    .map(({ item }) => item);
}

function extreme(items: readonly unknown[], by: unknown, sign: 1 | -1): unknown {
  if (items.length === 0) return null;
  return sort(items, by).at(sign === 1 ? -1 : 0);
}

function groupBy(items: readonly unknown[], by: Closure): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    const key = groovyText(by.call(item));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** A closure of `collectEntries` returns a map or a list of key and value. */
function collectEntry(into: Map<string, unknown>, entry: unknown): void {
  if (Array.isArray(entry)) into.set(groovyText(entry[0]), entry[1] ?? null);
  else if (isMap(entry)) for (const [key, value] of entriesOf(entry)) into.set(key, value);
}

function unique(items: readonly unknown[], by: unknown): readonly unknown[] {
  const key = closureOf(by);
  const objects: unknown[] = [];
  const scalars = new Set<unknown>();
  return items.filter((item) => {
    const value = key.call(item);
    const isScalar = typeof value !== "object" || value === null;
    const isKnown = isScalar ? scalars.has(value) : contains(objects, value);
    if (isScalar) scalars.add(value);
    else if (!isKnown) objects.push(value);
    return !isKnown;
  });
}

function collate(items: readonly unknown[], size: number): readonly unknown[] {
  if (!(size >= 1)) throw fault("java.lang.IllegalArgumentException", "collate needs a size of 1 or more");
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}

export const listMethods: Methods<readonly unknown[]> = {
  size: (items) => items.length,
  isEmpty: (items) => items.length === 0,
  get: (items, [at]) => items[toInteger(at)] ?? null,
  getAt: (items, [at]) => items.at(toInteger(at)) ?? null,
  first: (items) => items[0] ?? null,
  head: (items) => items[0] ?? null,
  last: (items) => items.at(-1) ?? null,
  tail: (items) => items.slice(1),
  init: (items) => items.slice(0, -1),
  take: (items, [count]) => items.slice(0, toInteger(count)),
  drop: (items, [count]) => items.slice(toInteger(count)),
  reverse: (items) => items.toReversed(),
  toList: (items) => items,
  toSet: (items) => unique(items, undefined),
  flatten: (items) => items.flat(50),
  unique: (items, [by]) => unique(items, by),
  sort: (items, [by]) => sort(items, by),
  toSorted: (items, [by]) => sort(items, by),
  contains: (items, [value]) => contains(items, value),
  indexOf: (items, [value]) => items.findIndex((item) => equal(item, value)),
  plus: (items, [value]) => add(items, value),
  minus: (items, [value]) => subtract(items, value),
  intersect: (items, [other]) => items.filter((item) => contains(other, item)),
  join: (items, [separator]) => items.map((item) => groovyText(item)).join(separator === undefined ? "" : groovyText(separator)),
  collect: (items, [by]) => items.map((item) => closureOf(by).call(item)),
  collectMany: (items, [by]) => items.flatMap((item) => closureOf(by).call(item)),
  each: (items, [by]) => (items.forEach((item) => closureOf(by).call(item)), items),
  eachWithIndex: (items, [by]) => (items.forEach((item, index) => closureOf(by).call(item, index)), items),
  withIndex: (items) => items.map((item, index) => [item, index]),
  indexed: (items) => new Map(items.map((item, index) => [String(index), item])),
  find: (items, [by]) => items.find((item) => truth(closureOf(by).call(item))) ?? null,
  findAll: (items, [by]) => items.filter((item) => truth(closureOf(by).call(item))),
  findIndexOf: (items, [by]) => items.findIndex((item) => truth(closureOf(by).call(item))),
  any: (items, [by]) => items.some((item) => truth(closureOf(by).call(item))),
  every: (items, [by]) => items.every((item) => truth(closureOf(by).call(item))),
  count: (items, [by]) => items.filter((item) => (by instanceof Closure ? truth(by.call(item)) : equal(item, by))).length,
  sum: (items, [by]) => (items.length === 0 ? null : items.map((item) => closureOf(by).call(item)).reduce(add)),
  max: (items, [by]) => extreme(items, by, 1),
  min: (items, [by]) => extreme(items, by, -1),
  inject: (items, parameters) => {
    const by = closureOf(parameters.at(-1));
    if (parameters.length < 2 && items.length === 0) throw fault("java.util.NoSuchElementException", "groovy: inject needs an initial value for an empty list");
    return parameters.length > 1 ? items.reduce((sum, item) => by.call(sum, item), parameters[0]) : items.reduce((sum, item) => by.call(sum, item));
  },
  groupBy: (items, [by]) => groupBy(items, closureOf(by)),
  countBy: (items, [by]) => new Map([...groupBy(items, closureOf(by))].map(([key, group]) => [key, group.length])),
  collectEntries: (items, [by]) => {
    const entries = new Map<string, unknown>();
    for (const item of items) collectEntry(entries, closureOf(by).call(item));
    return entries;
  },
  collate: (items, [size]) => collate(items, toInteger(size)),
  transpose: (items) => {
    const rows = items as readonly (readonly unknown[])[];
    const width = rows.reduce((min, row) => Math.min(min, row.length), rows[0]?.length ?? 0);
    return Array.from({ length: width }, (_, at) => rows.map((row) => row[at]));
  },
};

const asEntry = (key: string, value: unknown): unknown =>
  new Map<string, unknown>([
    ["key", key],
    ["value", value],
  ]);
const filterEntries = (map: unknown, by: Closure): Map<string, unknown> => new Map(entriesOf(map).filter(([key, value]) => truth(by.callEntry(key, value))));

export const mapMethods: Methods<unknown> = {
  size: (map) => sizeOf(map),
  isEmpty: (map) => sizeOf(map) === 0,
  get: (map, [key, fallback]) => valueAt(map, groovyText(key)) ?? fallback ?? null,
  getAt: (map, [key]) => valueAt(map, groovyText(key)),
  getOrDefault: (map, [key, fallback]) => valueAt(map, groovyText(key)) ?? fallback ?? null,
  containsKey: (map, [key]) => keysOf(map).includes(groovyText(key)),
  containsValue: (map, [value]) => entriesOf(map).some(([, entryValue]) => equal(entryValue, value)),
  keySet: (map) => keysOf(map),
  values: (map) => entriesOf(map).map(([, value]) => value),
  entrySet: (map) => entriesOf(map).map(([key, value]) => asEntry(key, value)),
  plus: (map, [other]) => add(map, other),
  subMap: (map, [keys]) =>
    new Map(
      (keys as readonly unknown[])
        .map(groovyText)
        .filter((key) => keysOf(map).includes(key))
        .map((key) => [key, valueAt(map, key)]),
    ),
  collect: (map, [by]) => entriesOf(map).map(([key, value]) => closureOf(by).callEntry(key, value)),
  collectEntries: (map, [by]) => {
    const entries = new Map<string, unknown>();
    for (const [key, value] of entriesOf(map)) collectEntry(entries, closureOf(by).callEntry(key, value));
    return entries;
  },
  each: (map, [by]) => (entriesOf(map).forEach(([key, value]) => closureOf(by).callEntry(key, value)), map),
  find: (map, [by]) => {
    const found = entriesOf(map).find(([key, value]) => truth(closureOf(by).callEntry(key, value)));
    return found === undefined ? null : asEntry(...found);
  },
  findAll: (map, [by]) => filterEntries(map, closureOf(by)),
  any: (map, [by]) => entriesOf(map).some(([key, value]) => truth(closureOf(by).callEntry(key, value))),
  every: (map, [by]) => entriesOf(map).every(([key, value]) => truth(closureOf(by).callEntry(key, value))),
  count: (map, [by]) => filterEntries(map, closureOf(by)).size,
  sort: (map, [by]) =>
    new Map(
      sort(
        entriesOf(map).map(([key, value]) => asEntry(key, value)),
        by instanceof Closure ? by : new Closure(1, ([entry]) => valueAt(entry, "key")),
      ).map((entry) => [valueAt(entry, "key") as string, valueAt(entry, "value")]),
    ),
};
