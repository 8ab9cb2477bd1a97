import { checkPartCount, maxParts } from "./limit.ts";
import { isPlainObject } from "./member.ts";
import { asText } from "./text.ts";

/**
 * The elements of a value. List: its items. Text (or bytes, read as text): its parts between separators, ignoring one leading and one trailing
 * separator; none for blank text. Map: `{key, value}` for each entry. Null: none. Any other value: the value itself.
 */
export function iterate(value: unknown, separator = ","): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return splitText(value, separator);
  if (value instanceof Uint8Array) return splitText(asText(value), separator);
  if (value instanceof Set) return [...value];
  if (value instanceof Map) return [...value].map(([key, item]) => ({ key: key as unknown, value: item as unknown }));
  if (isPlainObject(value)) return Object.entries(value).map(([key, item]) => ({ key, value: item }));
  return [value];
}

function splitText(text: string, separator: string): readonly string[] {
  if (text.trim() === "") return [];
  if (!text.includes(separator)) return [text];
  let from = 0;
  let to = text.length;
  if (text.startsWith(separator)) from = separator.length;
  if (to - separator.length >= from && text.endsWith(separator)) to -= separator.length;
  if (from >= to) return [];
  const parts = text.slice(from, to).split(separator, maxParts + 1);
  checkPartCount(parts.length);
  return parts;
}
