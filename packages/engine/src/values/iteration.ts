import { isPlainObject } from "./member.ts";
import { asText } from "./text.ts";

/**
 * What a value holds, one by one: a list's elements, the parts of text (or bytes, read as text) between commas (one comma at either end is
 * skipped, blank text holds nothing), a map's entries as `{key, value}`, nothing for null, otherwise the value itself.
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
  return from >= to ? [] : text.slice(from, to).split(separator);
}
