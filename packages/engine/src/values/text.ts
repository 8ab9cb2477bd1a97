// Values as text. Bodies travel as whatever they are (bytes, text, numbers, lists, maps); this is what `${body}` shows.

const decoder = new TextDecoder();

/** A value that knows its own text (an XML node, say) gives it under this name. */
export const textForm: unique symbol = Symbol.for("sluice.text");

/** The text of a value; null and undefined are the empty text. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return decoder.decode(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  if (value instanceof Error) return value.message;
  if (textForm in (value as object)) return (value as { [textForm](): string })[textForm]();
  return asJson(value);
}

/** The JSON text of a value: maps as objects, sets as lists, bytes as text. */
export function asJson(value: unknown, indent?: string): string {
  return JSON.stringify(value, plain, indent) ?? "";
}

function plain(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return decoder.decode(value);
  return value instanceof Error ? value.message : value;
}
