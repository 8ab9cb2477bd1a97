// The JSON inside bytes or text, parsed when somebody looks into it. A view is shared between all who look at the same
// bytes, so whoever hands a part of it to a message hands out a copy.

const viewsOfBytes = new WeakMap<Uint8Array, { readonly value: unknown }>();
const decoder = new TextDecoder();
const longestKept = 1 << 20;
let lastText: { readonly text: string; readonly value: unknown } | undefined;

/** What `source` says as JSON, when it holds an object or a list; undefined otherwise. Must not be changed or handed on: see {@link copyJson}. */
export function jsonView(source: string | Uint8Array): unknown {
  if (typeof source !== "string") {
    const known = viewsOfBytes.get(source);
    if (known !== undefined) return known.value;
    const value = parse(decoder.decode(source));
    viewsOfBytes.set(source, { value });
    return value;
  }
  if (lastText?.text === source) return lastText.value;
  const value = parse(source);
  if (source.length <= longestKept) lastText = { text: source, value };
  return value;
}

function parse(text: string): unknown {
  const start = text.search(/[^\s\uFEFF]/);
  if (start < 0 || (text[start] !== "{" && text[start] !== "[")) return undefined;
  try {
    return JSON.parse(start === 0 ? text : text.slice(start)) as unknown;
  } catch {
    return undefined;
  }
}

/** A deep copy of a JSON value; scalars are returned as they are. */
export function copyJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return JSON.parse(JSON.stringify(value)) as unknown;
}
