import { FlowError, type Exchange, type Expression } from "@sluice/engine/spi";
import { asText, checkPartCount, compareText, hasEntry, isMap, iterate, setEntry, sizeOfMap, strictEquals } from "@sluice/engine/values";
import { atCompile, withBody } from "../compile/scope.ts";
import { unescape } from "../parse/scan.ts";
import { replaceInExchange } from "./collection-change.ts";
import { expectCount, untrimmedArguments, orBody, separate, single, trimmedArguments, type Argument, type Call, type SimpleFunction } from "./arguments.ts";
import { splitBy, toInteger } from "./conversions.ts";

const isNull = (value: unknown): value is null | undefined => value === null || value === undefined;

/** The items of a value, up to the number that a function can process without blocking other runs. */
function elements(value: unknown): readonly unknown[] {
  const items = iterate(value);
  checkPartCount(items.length);
  return items;
}

export const collectionFunctions: Readonly<Record<string, SimpleFunction>> = {
  list(call) {
    const values = trimmedArguments(call).map((argument) => call.value(argument));
    return (exchange) => values.map((value) => element(value(exchange)));
  },
  map,
  newEmpty,
  empty: newEmpty,
  distinct: itemFunction((items) => {
    const seen = new Set<unknown>();
    return items.filter((item) => {
      const key = typeof item === "object" && item !== null ? `json:${asText(item)}` : item;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  }),
  reverse: itemFunction((items) => items.toReversed()),
  shuffle: itemFunction((items, random) => {
    const shuffled = [...items];
    for (let at = shuffled.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [shuffled[at], shuffled[other]] = [shuffled[other], shuffled[at]];
    }
    return shuffled;
  }),
  sort,
  split,
  forEach(call) {
    const args = separate(call.text, call.offset);
    expectCount(call, args, 2, 2, "forEach(values,function)");
    const [values, each] = untrimmedArguments(call).map((argument) => call.value(argument)) as [Expression, Expression];
    return (exchange) =>
      elements(values(exchange))
        .map((item) => withBody(exchange, item, each))
        .filter((result) => !isNull(result));
  },
  filter(call) {
    const args = separate(call.text, call.offset);
    expectCount(call, args, 2, 2, "filter(values,predicate)");
    const values = call.value((untrimmedArguments(call) as [Argument])[0]);
    const test = call.test(args[1] as Argument);
    return (exchange) => elements(values(exchange)).filter((item) => withBody(exchange, item, test));
  },
  listAdd,
  listRemove,
  mapAdd,
  mapRemove,
  size(call) {
    const value = single(call);
    return (exchange) => sizeOf(value(exchange));
  },
  collate,
  skip,
};

/** A value as part of a list or map: received bytes become text. */
function element(value: unknown): unknown {
  return value instanceof Uint8Array ? asText(value) : (value ?? null);
}

function sizeOf(value: unknown): number {
  if (isNull(value)) return 0;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Set) return value.size;
  return isMap(value) ? sizeOfMap(value) : 1;
}

function map(call: Call): Expression {
  const values = trimmedArguments(call).map((argument) => call.value(argument));
  if (values.length % 2 !== 0) throw call.fault("map needs a value for every key", "write ${map(key,value,key,value)}");
  return (exchange) => {
    const entries: Record<string, unknown> = {};
    for (let at = 0; at < values.length; at += 2)
      setEntry(entries, asText((values[at] as Expression)(exchange)), element((values[at + 1] as Expression)(exchange)));
    return entries;
  };
}

function newEmpty(call: Call): Expression {
  switch (call.text.trim().toLowerCase()) {
    case "list":
    case "set":
      return () => [];
    case "map":
      return () => ({});
    case "string":
      return () => "";
    default:
      throw call.fault(`${call.name} does not support '${call.text}'`, "write list, map, set or string");
  }
}

/** A function of all items of its arguments, or of the body when it has none. */
function itemFunction(change: (items: readonly unknown[], random: () => number) => unknown[]): SimpleFunction {
  return (call) => {
    const args = trimmedArguments(call);
    const values = args.length === 0 ? [orBody(call, undefined)] : args.map((argument) => call.value(argument));
    const { host } = call.scope.language;
    return (exchange) =>
      change(
        values.flatMap((value) => elements(value(exchange))),
        () => host.random(),
      );
  };
}

function sort(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 0, 2, "sort(values,reverse)");
  const value = orBody(call, args.length === 2 ? args[0] : undefined);
  const reverse = args.length > 0 && (args[args.length - 1] as Argument).text.trim().toLowerCase() === "true";
  return (exchange) => {
    const sorted = elements(value(exchange)).toSorted(naturalOrder);
    return reverse ? sorted.toReversed() : sorted;
  };
}

function naturalOrder(left: unknown, right: unknown): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
  throw new FlowError("java.lang.ClassCastException", "sort needs values of one type: all numbers or all text", { code: "simple-argument" });
}

function split(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 0, 2, "split(value,separator)");
  const value = orBody(call, args.length === 2 ? args[0] : undefined);
  const separator = args.length === 0 ? "," : unescape((args[args.length - 1] as Argument).text);
  const splitText = atCompile(call.offset, () => splitBy(separator === "" ? "," : separator));
  return (exchange) => {
    const raw = value(exchange);
    return isNull(raw) ? null : splitText(asText(raw));
  };
}

function listAdd(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 1, 2, "listAdd(list,value)");
  const source = orBody(call, args.length === 2 ? args[0] : undefined);
  const item = call.value(args[args.length - 1] as Argument);
  return (exchange) => {
    const list = source(exchange);
    if (!Array.isArray(list)) return null;
    const added = element(item(exchange));
    return isNull(added) ? list : replaceCollection(call, exchange, list, [...(list as unknown[]), added]);
  };
}

function listRemove(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 1, 2, "listRemove(list,value)");
  const source = orBody(call, args.length === 2 ? args[0] : undefined);
  const item = call.value(args[args.length - 1] as Argument);
  return (exchange) => {
    const list = source(exchange);
    if (!Array.isArray(list)) return null;
    const removed = item(exchange);
    const position = list.findIndex((candidate) => strictEquals(candidate, removed));
    const at = position >= 0 ? position : asText(removed) === "last" ? list.length - 1 : /^\d+$/.test(asText(removed)) ? Number(asText(removed)) : -1;
    return at >= 0 && at < list.length ? replaceCollection(call, exchange, list, list.toSpliced(at, 1)) : list;
  };
}

function mapAdd(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 2, 3, "mapAdd(map,key,value)");
  const source = orBody(call, args.length === 3 ? args[0] : undefined);
  const key = unescape((args[args.length - 2] as Argument).text);
  const item = call.value(args[args.length - 1] as Argument);
  return (exchange) => {
    const target = source(exchange);
    if (!isMap(target)) return null;
    const added = element(item(exchange));
    if (isNull(added)) return target;
    const copy = copyOfMap(target);
    setEntry(copy, key, added);
    return replaceCollection(call, exchange, target, copy);
  };
}

function mapRemove(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 1, 2, "mapRemove(map,key)");
  const source = orBody(call, args.length === 2 ? args[0] : undefined);
  const key = unescape((args[args.length - 1] as Argument).text);
  return (exchange) => {
    const target = source(exchange);
    if (!isMap(target)) return null;
    if (!hasEntry(target, key)) return target;
    const copy = copyOfMap(target);
    if (copy instanceof Map) copy.delete(key);
    else Reflect.deleteProperty(copy, key);
    return replaceCollection(call, exchange, target, copy);
  };
}

type AnyMap = Record<string, unknown> | Map<unknown, unknown>;

function copyOfMap(map: Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown>): AnyMap {
  return map instanceof Map
    ? new Map<unknown, unknown>(map)
    : Object.assign(Object.create(Object.getPrototypeOf(map) as object | null) as Record<string, unknown>, map);
}

/** Replaces the collection in the exchange with a changed copy, and returns the copy. */
function replaceCollection(call: Call, exchange: Exchange, original: object, changed: object): object {
  replaceInExchange(exchange, call.scope.language.host, original, changed);
  return changed;
}

function countOf(call: Call, min: number): Expression<number> {
  if (call.text.trim() === "") throw call.fault(`${call.name} needs a number`, `write \${${call.name}(2)}`);
  const value = call.value({ text: call.text.trim(), offset: call.offset });
  return (exchange) => {
    const count = toInteger(value(exchange));
    if (count === null || count < min)
      throw new FlowError("java.lang.IllegalArgumentException", `${call.name} needs an integer of at least ${min}`, { code: "simple-argument" });
    return count;
  };
}

function bodyItems(call: Call, body: unknown): readonly unknown[] {
  if (isNull(body)) throw new FlowError("java.lang.IllegalArgumentException", `${call.name} needs a body, got null`, { code: "simple-argument" });
  return iterate(body);
}

function collate(call: Call): Expression {
  const count = countOf(call, 1);
  return (exchange) => {
    const items = bodyItems(call, exchange.message.body);
    const size = count(exchange);
    return Array.from({ length: Math.ceil(items.length / size) }, (_, group) => items.slice(group * size, (group + 1) * size));
  };
}

function skip(call: Call): Expression {
  const count = countOf(call, 0);
  return (exchange) => bodyItems(call, exchange.message.body).slice(count(exchange));
}
