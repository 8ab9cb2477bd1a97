// Values as text, as `${body}` shows bytes, text, numbers, lists and maps.
import { FlowError } from "../errors/flow-error.ts";
import { checkTextLength } from "./limit.ts";
import { isStream } from "./stream.ts";

const decoder = new TextDecoder();

/** Node's Buffer decodes itself several times faster than a TextDecoder. */
interface SelfDecoding extends Uint8Array {
  utf8Slice(start: number, end: number): string;
}

/** UTF-8 text of bytes without a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  if (typeof (bytes as SelfDecoding).utf8Slice === "function" && bytes[0] !== 0xef) return (bytes as SelfDecoding).utf8Slice(0, bytes.length);
  return decoder.decode(bytes);
}

/** Method name for values with their own text form, such as an XML node. */
export const textForm: unique symbol = Symbol.for("sluice.text");

/** The text of a value; null and undefined are the empty string. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return decodeText(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  if (value instanceof Error) return value.message;
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the compiler rejects `in` on a value that may be primitive
  if (textForm in (value as object)) return (value as { [textForm](): string })[textForm]();
  if (isStream(value)) return streamText;
  return asJson(value);
}

/** The JSON text of a value: maps as objects, sets as lists, bytes as text, integers of any length as numbers. */
export function asJson(value: unknown, indent?: string): string {
  try {
    const { text, longNumbers } = writeMarked(value, indent, "");
    if (longNumbers === 0) return text;
    const numbers = /"\\u0000n(-?\d+)"/g;
    if (text.match(numbers)?.length === longNumbers) return text.replaceAll(numbers, "$1");
    // A string in the value looks like a marked number, so the mark gets a number that no string contains.
    const used = new Set([...text.matchAll(/\\u0000n(\d+):/g)].map(([, number]) => number));
    let free = 0;
    while (used.has(String(free))) free++;
    return writeMarked(value, indent, `${free}:`).text.replaceAll(new RegExp(`"\\\\u0000n${free}:(-?\\d+)"`, "g"), "$1");
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FlowError("java.lang.IllegalStateException", "size limit: the value is nested too deeply to be written as JSON", { code: "limit-size" });
  }
}

/** JSON text in which each bigint is text that starts with a null character, `n` and `suffix`. */
function writeMarked(value: unknown, indent: string | undefined, suffix: string): { readonly text: string; readonly longNumbers: number } {
  const size: JsonSize = { remaining: maxNodes, indent: indent?.length ?? 0, depth: 0, mark: `\u0000n${suffix}`, longNumbers: 0 };
  const ready = jsonReady(value, 0, size);
  // A replacer makes writing many times slower, so it is used only for objects with custom behavior.
  if (ready === needsReplacer) {
    size.longNumbers = 0;
    const text = JSON.stringify(value, replacerWithin(size), indent) ?? "";
    return { text, longNumbers: size.longNumbers };
  }
  const text = (size.depth > deepFrom && indent === undefined ? writeDeep(ready) : JSON.stringify(ready, undefined, indent)) ?? "";
  return { text, longNumbers: size.longNumbers };
}

/** Maximum values in one JSON document. Lists that contain the same list many times are small in memory but huge as text. */
const maxNodes = 2_000_000;
/** Placeholder for the text of a stream, because reading a stream consumes it. */
const streamText = "[stream]";
/** Maximum depth of the walk before writing. Deeper values are written with a replacer; JSON.stringify rejects circular ones. */
const maxDepth = 1000;
/** Depth from which {@link writeDeep} is faster than JSON.stringify. */
const deepFrom = 200;
/** Marks a value that JSON.stringify must visit with a replacer. */
const needsReplacer: unique symbol = Symbol("needs replacer");

interface JsonSize {
  remaining: number;
  /** Characters of indentation per level. */
  readonly indent: number;
  /** The depth of the deepest list or object so far. */
  depth: number;
  /** Prefix of the text that represents a bigint. */
  readonly mark: string;
  longNumbers: number;
}

/**
 * Returns the value without anything that JSON.stringify cannot write; the value itself when nothing changes. JSON.stringify cannot write a
 * bigint as a number: it becomes marked text, from which the quotes are removed afterwards.
 */
function jsonReady(value: unknown, depth: number, size: JsonSize): unknown {
  count(size, (typeof value === "string" ? value.length : 0) + depth * size.indent);
  if (typeof value === "bigint") return longNumber(value, size);
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) return needsReplacer;
  if (depth > size.depth) size.depth = depth;
  if (Array.isArray(value)) return readyList(value, depth, size);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return readyObject(value as Readonly<Record<string, unknown>>, depth, size);
  if (value instanceof Map) return readyObject(Object.fromEntries(value), depth, size);
  if (value instanceof Set) return readyList([...value], depth, size);
  if (value instanceof Uint8Array) return decodeText(value);
  return value instanceof Date ? value : needsReplacer;
}

function readyList(values: readonly unknown[], depth: number, size: JsonSize): unknown {
  let changed: unknown[] | undefined;
  for (let index = 0; index < values.length; index++) {
    const ready = jsonReady(values[index], depth + 1, size);
    if (ready === needsReplacer) return needsReplacer;
    if (changed === undefined && ready !== values[index]) changed = [...values];
    if (changed !== undefined) changed[index] = ready;
  }
  return changed ?? values;
}

function readyObject(values: Readonly<Record<string, unknown>>, depth: number, size: JsonSize): unknown {
  if (typeof values["toJSON"] === "function") return needsReplacer;
  let changed: Record<string, unknown> | undefined;
  for (const key in values) {
    const item = values[key];
    const ready = jsonReady(item, depth + 1, size);
    if (ready === needsReplacer) return needsReplacer;
    if (ready === item) continue;
    changed ??= Object.assign(Object.create(null) as Record<string, unknown>, values);
    changed[key] = ready;
  }
  return changed ?? values;
}

/**
 * Like JSON.stringify, for values that {@link jsonReady} returns. JSON.stringify compares every list and object with all of its
 * ancestors: half a million nested lists take a third of a second.
 */
function writeDeep(value: unknown): string {
  const parts: string[] = [];
  const write = (item: unknown): void => {
    if (Array.isArray(item)) {
      parts.push("[");
      for (let index = 0; index < item.length; index++) {
        if (index > 0) parts.push(",");
        write(item[index]);
      }
      parts.push("]");
    } else if (typeof item === "object" && item !== null && !(item instanceof Date)) {
      let separator = "{";
      for (const key of Object.keys(item)) {
        const inner = (item as Readonly<Record<string, unknown>>)[key];
        if (!isSerialized(inner)) continue;
        parts.push(separator, JSON.stringify(key), ":");
        separator = ",";
        write(inner);
      }
      parts.push(separator === "{" ? "{}" : "}");
    } else parts.push(isSerialized(item) ? JSON.stringify(item) : "null");
  };
  write(value);
  return parts.join("");
}

const isSerialized = (value: unknown): boolean => value !== undefined && typeof value !== "function" && typeof value !== "symbol";

function longNumber(value: bigint, size: JsonSize): string {
  size.longNumbers++;
  return `${size.mark}${value}`;
}

/** Long strings count as many short values. */
function count(size: JsonSize, length: number): void {
  size.remaining -= 1 + length / 32;
  if (size.remaining < 0) checkTextLength(Infinity);
}

/** Maximum nodes a replacer is called for: each call takes as long as writing ten. */
const maxReplaced = 200_000;

function replacerWithin(size: JsonSize): typeof replaceValue {
  size.remaining = maxReplaced;
  return function (this: unknown, key, value) {
    count(size, typeof value === "string" ? value.length : 0);
    return typeof value === "bigint" ? longNumber(value, size) : replaceValue.call(this, key, value);
  };
}

function replaceValue(this: unknown, key: string, value: unknown): unknown {
  // Node's Buffer has already converted itself with toJSON here.
  const original = (this as Readonly<Record<string, unknown>>)[key];
  if (original instanceof Uint8Array) return decodeText(original);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (isStream(value)) return streamText;
  return value instanceof Error ? value.message : value;
}
