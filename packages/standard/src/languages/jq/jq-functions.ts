// Builtins that compute one value from the input and their arguments' values.
import { isFlowError, type Exchange } from "@sluice/engine/spi";
import { parsePlainJson } from "@sluice/engine/values";
import { toPlainJson } from "../language-values/json-input.ts";
import { add, splitText } from "./jq-arithmetic.ts";
import { breakDown, formatDate, parseDate, toSeconds } from "./jq-dates.ts";
import { formatValue } from "./jq-formats.ts";
import { JqError, type JqMachine } from "./jq-machine.ts";
import { deletePaths, indexValue, indicesOf, setPath } from "./jq-paths.ts";
import { captureOf, testText } from "./jq-regex.ts";
import { compare, describe, expectNumber, fail, isEqual, isTruthy, kindOf, setMember, sortBy, sortedKeys, toJson, toText, type Members } from "./jq-values.ts";

export type ValueFunction = (machine: JqMachine, input: unknown, ...args: unknown[]) => unknown;

const encoder = new TextEncoder();

export const valueFunctions: Readonly<Record<string, ValueFunction>> = {
  "not/0": (_machine, input) => !isTruthy(input),
  "length/0": length,
  "utf8bytelength/0": (_machine, input) => encoder.encode(expectText(input, (description) => `${description} only strings have UTF-8 byte length`)).length,
  "type/0": (_machine, input) => kindOf(input),
  "keys/0": (machine, input) => keys(input, (object) => sortedKeys(object, machine), machine),
  "keys_unsorted/0": (machine, input) => keys(input, Object.keys, machine),
  "has/1": (_machine, input, key) => has(input, key),
  "contains/1": (machine, input, part) =>
    kindOf(input) === kindOf(part) ? contains(input, part, machine) : fail(`${describe(input)} and ${describe(part)} cannot have their containment checked`),
  "tostring/0": (machine, input) => toText(input, machine),
  "tojson/0": (machine, input) => toJson(input, machine),
  "fromjson/0": (machine, input) => fromJson(input, machine),
  "tonumber/0": (_machine, input) => toNumber(input),
  "sort/0": (machine, input) => sortBy(expectArray(input, "sorted"), (item) => item, machine),
  "unique/0": (machine, input) => unique(sortBy(expectArray(input, "sorted"), (item) => item, machine)),
  "min/0": (_machine, input) => extreme(expectArray(input, "iterated over"), (order) => order < 0),
  "max/0": (_machine, input) => extreme(expectArray(input, "iterated over"), (order) => order >= 0),
  "reverse/0": (machine, input) => reverse(input, machine),
  "flatten/0": (machine, input) => flatten(input, Infinity, machine),
  "flatten/1": (machine, input, depth) =>
    typeof depth === "number" && depth >= 0 ? flatten(input, depth, machine) : fail("flatten depth must not be negative"),
  "add/0": (machine, input) => addAll(input, machine),
  "join/1": join,
  "from_entries/0": fromEntries,
  "split/1": (machine, input, separator) => {
    if (typeof input !== "string" || typeof separator !== "string") return fail("split input and separator must be strings");
    return splitText(input, separator, machine);
  },
  "ltrimstr/1": (_machine, input, part) => (typeof input === "string" && typeof part === "string" && input.startsWith(part) ? input.slice(part.length) : input),
  "rtrimstr/1": (_machine, input, part) =>
    typeof input === "string" && typeof part === "string" && part !== "" && input.endsWith(part) ? input.slice(0, input.length - part.length) : input,
  "startswith/1": (_machine, input, part) =>
    typeof input === "string" && typeof part === "string" ? input.startsWith(part) : fail("startswith() requires string inputs"),
  "endswith/1": (_machine, input, part) =>
    typeof input === "string" && typeof part === "string" ? input.endsWith(part) : fail("endswith() requires string inputs"),
  "ascii_downcase/0": (_machine, input) =>
    expectText(input, () => "ascii_downcase input must be a string").replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  "ascii_upcase/0": (_machine, input) => expectText(input, () => "ascii_upcase input must be a string").replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
  "explode/0": (machine, input) => {
    const points = [...expectText(input, (description) => `${description} cannot be exploded`)];
    machine.spend(points.length / 8);
    return points.map((point) => point.codePointAt(0));
  },
  "implode/0": (_machine, input) => implode(input),
  "indices/1": indices,
  "index/1": (machine, input, part) => indexValue(indices(machine, input, part), 0, machine),
  "rindex/1": (machine, input, part) => indexValue(indices(machine, input, part), -1, machine),
  "setpath/2": (machine, input, path, value) => setPath(input, expectPath(path), value, machine),
  "delpaths/1": (machine, input, paths) => deletePaths(input, expectArray(paths, "used as paths").map(expectPath), machine),
  "test/2": (machine, input, pattern, flags) => testText(input, pattern, flags, machine),
  "capture_object/0": (_machine, input) => captureOf(input as Members),
  "format/1": (machine, input, name) => formatValue(`@${toText(name, machine)}`, input, machine),
  "now/0": (machine) => machine.now() / 1000,
  "gmtime/0": (_machine, input) => breakDown(input, "gmtime"),
  "localtime/0": (_machine, input) => breakDown(input, "localtime"),
  "mktime/0": (_machine, input) => toSeconds(input),
  "strftime/1": (_machine, input, format) => formatDate(input, format),
  "strflocaltime/1": (_machine, input, format) => formatDate(input, format, "strflocaltime"),
  "strptime/1": (_machine, input, format) => parseDate(input, format),
  "infinite/0": () => Infinity,
  "nan/0": () => Number.NaN,
  "null/0": () => null,
  "true/0": () => true,
  "false/0": () => false,
  "isinfinite/0": (_machine, input) => Math.abs(expectNumber(input)) === Infinity,
  "isnan/0": (_machine, input) => Number.isNaN(expectNumber(input)),
  "isnormal/0": (_machine, input) => Number.isFinite(expectNumber(input)) && Math.abs(input as number) >= 2.2250738585072014e-308,
  "input_line_number/0": () => 0,
  "debug/0": (_machine, input) => input,
  "stderr/0": (_machine, input) => input,
  "header/1": (machine, _input, name) => readExchange(machine, (exchange) => exchange.message.headers.get(toText(name, machine)), null),
  "header/2": (machine, _input, name, otherwise) => readExchange(machine, (exchange) => exchange.message.headers.get(toText(name, machine)), otherwise),
  "property/1": (machine, _input, name) => readExchange(machine, (exchange) => exchange.property(toText(name, machine)), null),
  "property/2": (machine, _input, name, otherwise) => readExchange(machine, (exchange) => exchange.property(toText(name, machine)), otherwise),
  "variable/1": (machine, _input, name) => readExchange(machine, (exchange) => exchange.variable(toText(name, machine)), null),
  "variable/2": (machine, _input, name, otherwise) => readExchange(machine, (exchange) => exchange.variable(toText(name, machine)), otherwise),
  "body/0": (machine) => machine.body,
  "constant/1": (_machine, _input, value) => value,
  "bsearch/1": bsearch,
};

function readExchange(machine: JqMachine, read: (exchange: Exchange) => unknown, otherwise: unknown): unknown {
  const value = machine.exchange === undefined ? undefined : toPlainJson(read(machine.exchange));
  return value ?? otherwise;
}

function expectText(value: unknown, message: (description: string) => string): string {
  return typeof value === "string" ? value : fail(message(describe(value)));
}

function expectArray(value: unknown, use: string): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : fail(`${describe(value)} cannot be ${use}, as it is not an array`);
}

export function expectPath(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : fail("Path must be specified as an array");
}

function countPoints(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

function length(_machine: JqMachine, input: unknown): unknown {
  if (input === null || input === undefined) return 0;
  if (typeof input === "string") return countPoints(input);
  if (typeof input === "number") return Math.abs(input);
  if (typeof input === "boolean") return fail(`${describe(input)} has no length`);
  return Array.isArray(input) ? input.length : Object.keys(input).length;
}

function keys(input: unknown, of: (object: object) => string[], machine: JqMachine): unknown {
  if (Array.isArray(input)) {
    machine.spend(input.length);
    return Array.from(input.keys());
  }
  return kindOf(input) === "object" ? of(input as object) : fail(`${describe(input)} has no keys`);
}

function has(input: unknown, key: unknown): boolean {
  if (input === null) return false;
  if (kindOf(input) === "object" && typeof key === "string") return Object.hasOwn(input as object, key);
  if (Array.isArray(input) && typeof key === "number") return key >= 0 && Math.floor(key) < input.length;
  return fail(`Cannot check whether ${kindOf(input)} has a ${kindOf(key)} key`);
}

function contains(input: unknown, part: unknown, machine: JqMachine): boolean {
  machine.spend(1);
  if (kindOf(input) === "object" && kindOf(part) === "object")
    return Object.keys(part as object).every(
      (name) => Object.hasOwn(input as object, name) && contains((input as Members)[name], (part as Members)[name], machine),
    );
  if (Array.isArray(input) && Array.isArray(part)) return part.every((item) => input.some((candidate) => contains(candidate, item, machine)));
  if (typeof input === "string" && typeof part === "string") return input.includes(part);
  return isEqual(input, part);
}

function fromJson(input: unknown, machine: JqMachine): unknown {
  const text = expectText(input, (description) => `${description} cannot be parsed as JSON`);
  machine.spend(text.length);
  if (text.trim() === "nan") return Number.NaN;
  try {
    return parsePlainJson(text);
  } catch (cause) {
    if (isFlowError(cause)) throw cause;
    throw new JqError(`${cause instanceof Error ? cause.message : String(cause)} (while parsing '${text.slice(0, 100)}')`);
  }
}

function toNumber(input: unknown): unknown {
  if (typeof input === "number") return input;
  const text = expectText(input, (description) => `${description} cannot be parsed as a number`);
  if (!/^\s*-?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$/.test(text)) return fail(`Invalid numeric literal (while parsing '${text.slice(0, 100)}')`);
  return Number(text);
}

function unique(sorted: readonly unknown[]): unknown[] {
  return sorted.filter((item, index) => index === 0 || compare(sorted[index - 1], item) !== 0);
}

function extreme(items: readonly unknown[], wins: (order: number) => boolean): unknown {
  return items.reduce((best, item, index) => (index === 0 || wins(compare(item, best)) ? item : best), null);
}

function reverse(input: unknown, machine: JqMachine): unknown {
  if (input === null || input === undefined) return [];
  if (typeof input === "string") return [...input].toReversed().join("");
  const items = expectArray(input, "reversed");
  machine.spend(items.length / 16);
  return items.toReversed();
}

function flatten(input: unknown, depth: number, machine: JqMachine): unknown[] {
  const result: unknown[] = [];
  const items = kindOf(input) === "object" ? Object.values(input as Members) : expectArray(input, "flattened");
  for (const item of items) {
    machine.spend(0.25);
    if (Array.isArray(item) && depth > 0) for (const inner of flatten(item, depth - 1, machine)) result.push(inner);
    else result.push(item);
  }
  return result;
}

/** A list of strings, lists or objects is added in one operation: adding item by item would copy the sum each time. */
function addAll(input: unknown, machine: JqMachine): unknown {
  const items =
    kindOf(input) === "object" ? Object.values(input as Members) : Array.isArray(input) ? (input as unknown[]) : fail(`Cannot iterate over ${describe(input)}`);
  machine.spend(items.length / 4);
  if (items.length > 0 && items.every((item) => typeof item === "string")) {
    machine.chargeText(items.reduce((total: number, item) => total + item.length, 0));
    return items.join("");
  }
  if (items.length > 0 && items.every((item) => Array.isArray(item))) {
    machine.spend(items.reduce((total: number, item) => total + (item as unknown[]).length, 0) / 16);
    return items.flat(1);
  }
  if (items.length > 0 && items.every((item) => kindOf(item) === "object")) {
    const result: Members = {};
    for (const item of items as Members[]) {
      machine.spend(Object.keys(item).length / 2);
      for (const name of Object.keys(item)) setMember(result, name, item[name]);
    }
    return result;
  }
  return items.reduce((total, item) => add(total, item, machine), null);
}

function join(machine: JqMachine, input: unknown, separator: unknown): unknown {
  const items =
    kindOf(input) === "object" ? Object.values(input as Members) : Array.isArray(input) ? (input as unknown[]) : fail(`Cannot iterate over ${describe(input)}`);
  if (items.length === 0) return "";
  const between = typeof separator === "string" ? separator : separator === null ? "" : fail(`${describe(separator)} and string cannot be added`);
  const parts = items.map((item) => {
    if (item === null || item === undefined) return "";
    return typeof item === "object" ? fail(`string (${JSON.stringify(between)}) and ${describe(item)} cannot be added`) : toText(item, machine);
  });
  machine.chargeText(parts.reduce((total, part) => total + part.length + between.length, 0));
  return parts.join(between);
}

function fromEntries(machine: JqMachine, input: unknown): Members {
  const result: Members = {};
  for (const entry of kindOf(input) === "object"
    ? Object.values(input as Members)
    : Array.isArray(input)
      ? (input as unknown[])
      : fail(`Cannot iterate over ${describe(input)}`)) {
    machine.spend(1);
    const names = ["key", "k", "name", "Name", "Key", "K"].map((name) => indexValue(entry, name, machine));
    const key = names.find(isTruthy) ?? (names.includes(false) ? false : null);
    const values = ["value", "v", "Value", "V"].filter((name) => entry !== null && typeof entry === "object" && Object.hasOwn(entry, name));
    const name =
      typeof key === "string"
        ? key
        : kindOf(key) === "array" || kindOf(key) === "object"
          ? fail(`Cannot use ${describe(key)} as object key`)
          : toText(key, machine);
    setMember(result, name, values.length === 0 ? null : (entry as Members)[values[0] as string]);
  }
  return result;
}

function implode(input: unknown): string {
  if (!Array.isArray(input)) return fail(`${describe(input)} cannot be imploded`);
  return (input as unknown[])
    .map((point) => {
      if (typeof point !== "number") return fail(`${describe(point)} can't be imploded, unicode codepoint needs to be numeric`);
      return point >= 0 && point <= 0x10ffff ? String.fromCodePoint(Math.floor(point)) : "\uFFFD";
    })
    .join("");
}

function indices(machine: JqMachine, input: unknown, part: unknown): unknown {
  if (typeof input === "string" && typeof part === "string") {
    if (part === "") return null;
    machine.spend(input.length / 16);
    const found: number[] = [];
    for (let at = input.indexOf(part); at >= 0; at = input.indexOf(part, at + 1)) found.push(at);
    return /[\uD800-\uDBFF]/.test(input) ? found.map((at) => countPoints(input.slice(0, at))) : found;
  }
  if (Array.isArray(input)) return indicesOf(input, Array.isArray(part) ? (part as unknown[]) : [part], machine);
  return indexValue(input, part, machine);
}

function bsearch(_machine: JqMachine, input: unknown, target: unknown): number {
  const items = expectArray(input, "searched");
  let low = 0;
  let high = items.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compare(items[middle], target);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1 - low;
}
