// Values as text. Bodies travel as whatever they are (bytes, text, numbers, lists, maps); this is what `${body}` shows.

const decoder = new TextDecoder();

/** The text of a value; null and undefined are the empty text. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (value instanceof Uint8Array) return decoder.decode(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error) return value.message;
  return JSON.stringify(value, (_key, inner: unknown) => (inner instanceof Map ? Object.fromEntries(inner) : inner instanceof Set ? [...inner] : inner)) ?? "";
}
