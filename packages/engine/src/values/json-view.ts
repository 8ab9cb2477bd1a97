// JSON parsed from bytes or text when an expression reads into it. All readers of the same bytes share a view, so parts of it that go into a
// message are copied.
import { isJsonLimitError } from "./json-scan.ts";
import { mayBeJson, parsePlainJson } from "./json-text.ts";
import { isLongJson } from "./json-writer.ts";
import { longJson, takeLongJson } from "./long-json.ts";
import { setEntry } from "./member.ts";

const viewsOfBytes = new WeakMap<Uint8Array, { readonly value: unknown }>();
const decoder = new TextDecoder();
const maxCachedLength = 1 << 20;

interface TextView {
  readonly text: string;
  readonly value: unknown;
}
let lastText: TextView | undefined;
/** The last long document. Paths read the same document several times in a row; garbage collection may reclaim it. */
let lastLongText: WeakRef<TextView> | undefined;

/** Parses `source` if it contains an object or a list; undefined otherwise. Do not change the result or pass it on: see {@link partOfJson}. */
export function jsonView(source: string | Uint8Array): unknown {
  const parsed = longJson(source);
  if (parsed !== undefined) {
    if (isJsonLimitError(parsed.error)) throw parsed.error;
    return parsed.value;
  }
  if (typeof source !== "string") {
    const cached = viewsOfBytes.get(source);
    if (cached !== undefined) return cached.value;
    const value = mayBeJson(source) ? parse(decoder.decode(source)) : undefined;
    viewsOfBytes.set(source, { value });
    return value;
  }
  const cached = source.length <= maxCachedLength ? lastText : lastLongText?.deref();
  if (cached?.text === source) return cached.value;
  const view = { text: source, value: parse(source) };
  if (source.length <= maxCachedLength) lastText = view;
  else lastLongText = new WeakRef(view);
  return view.value;
}

function parse(text: string): unknown {
  const start = text.search(/[^\s\uFEFF]/);
  if (start < 0 || (text[start] !== "{" && text[start] !== "[")) return undefined;
  try {
    return parsePlainJson(start === 0 ? text : text.slice(start));
  } catch (error) {
    if (isJsonLimitError(error)) throw error;
    return undefined;
  }
}

/**
 * A part of the JSON value of `source` that can be changed and passed on: a copy, or the part itself when it is large. Copying a large one would
 * block the event loop; instead, the next reader parses the source again, in slices.
 */
export function partOfJson(part: unknown, source: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  if ((typeof source === "string" || source instanceof Uint8Array) && isLongJson(part) && takeLongJson(source)) return part;
  return copyJson(part);
}

/** A deep copy of a JSON value; scalars are returned unchanged. Several times as fast as writing and parsing. */
export function copyJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const copy: unknown[] = value.slice();
    for (let index = 0; index < copy.length; index++) {
      const item = copy[index];
      if (typeof item === "object" && item !== null) copy[index] = copyJson(item);
      else if (isNotJson(item)) copy[index] = null;
    }
    return copy;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return JSON.parse(JSON.stringify(value)) as unknown;
  const keys = Object.keys(value);
  if (keys.length > manyKeys) return copyManyKeys(value as Readonly<Record<string, unknown>>, keys);
  const copy: Record<string, unknown> = { ...value };
  for (const key of keys) {
    const item = copy[key];
    if (item === undefined) delete copy[key];
    else if (isNotJson(item)) copy[key] = null;
    else if (typeof item === "object" && item !== null) {
      if (key === "__proto__") setEntry(copy, key, copyJson(item));
      else copy[key] = copyJson(item);
    }
  }
  return copy;
}

/** With more keys than this, copying an object member by member takes a third of the time. */
const manyKeys = 1000;

function copyManyKeys(value: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of keys) {
    const item = value[key];
    if (item === undefined) continue;
    if (key === "__proto__") setEntry(copy, key, copyJson(item));
    else copy[key] = isNotJson(item) ? null : typeof item === "object" ? copyJson(item) : item;
  }
  return copy;
}

const isNotJson = (value: unknown): boolean => value === undefined || (typeof value === "number" && !Number.isFinite(value));
