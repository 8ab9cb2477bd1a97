// Values as text. Bodies travel as whatever they are (bytes, text, numbers, lists, maps); this is what `${body}` shows.
import { checkTextLength } from "./limit.ts";
import { isStream } from "./stream.ts";

const decoder = new TextDecoder();

/** Node's Buffer turns itself into text several times faster than a TextDecoder does. */
interface SelfDecoding extends Uint8Array {
  utf8Slice(start: number, end: number): string;
}

/** UTF-8 text of bytes; a byte order mark is no part of it. */
export function decodeText(bytes: Uint8Array): string {
  if (typeof (bytes as SelfDecoding).utf8Slice === "function" && bytes[0] !== 0xef) return (bytes as SelfDecoding).utf8Slice(0, bytes.length);
  return decoder.decode(bytes);
}

/** A value that knows its own text (an XML node, say) gives it under this name. */
export const textForm: unique symbol = Symbol.for("sluice.text");

/** The text of a value; null and undefined are the empty text. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return decodeText(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  if (value instanceof Error) return value.message;
  if (textForm in (value as object)) return (value as { [textForm](): string })[textForm]();
  if (isStream(value)) return streamText;
  return asJson(value);
}

/** The JSON text of a value: maps as objects, sets as lists, bytes as text, whole numbers of any length as numbers. */
export function asJson(value: unknown, indent?: string): string {
  // A replacer makes writing many times slower, so it is used only where some value needs it.
  const size = { left: mostNodes };
  if (isJsonAsItIs(value, 0, size)) return JSON.stringify(value, undefined, indent) ?? "";
  const { replacer, hasLongNumber } = bounded();
  const text = JSON.stringify(value, replacer, indent) ?? "";
  return hasLongNumber() ? text.replaceAll(/"\\u0000n(-?\d+)"/g, "$1") : text;
}

/** Values one text is made of. Lists that hold one list many times are small in memory and endless as text. */
const mostNodes = 2_000_000;
/** What a stream shows as text: reading it would use it up. */
const streamText = "[stream]";

function isJsonAsItIs(value: unknown, depth: number, size: { left: number }): boolean {
  count(size, typeof value === "string" ? value.length : 0);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  if (depth > 100) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isJsonAsItIs(value[index], depth + 1, size)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) if (!isJsonAsItIs((value as Record<string, unknown>)[key], depth + 1, size)) return false;
  return true;
}

/** Long texts weigh as much as many short values. */
function count(size: { left: number }, length: number): void {
  size.left -= 1 + length / 32;
  if (size.left < 0) checkTextLength(Infinity);
}

/** JSON.stringify cannot write a bigint as a number: it leaves as marked text, from which the quotes are taken off afterwards. */
function bounded(): { replacer: typeof plain; hasLongNumber: () => boolean } {
  const size = { left: mostNodes };
  let found = false;
  return {
    replacer(this: unknown, key, value) {
      count(size, typeof value === "string" ? value.length : 0);
      if (typeof value !== "bigint") return plain.call(this, key, value);
      found = true;
      return `\u0000n${value}`;
    },
    hasLongNumber: () => found,
  };
}

function plain(this: unknown, key: string, value: unknown): unknown {
  // Node's Buffer has made a record of itself before it comes here as the value.
  const own = (this as Readonly<Record<string, unknown>>)[key];
  if (own instanceof Uint8Array) return decodeText(own);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (isStream(value)) return streamText;
  return value instanceof Error ? value.message : value;
}
