// Converts any body value to JSON data: bytes become text (or base64 if they are not UTF-8), dates ISO text, maps objects. Bounded, so that a
// large or circular body costs no more than the part that is shown.

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const maxDepth = 64;

/** True for lists, maps, sets and plain objects, which JSON can represent. */
function isPlainData(value: object): boolean {
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

export type BodyType = "json" | "text" | "bytes" | "number" | "boolean" | "date" | "none" | "object";

export function bodyTypeOf(body: unknown): BodyType {
  if (body === null || body === undefined) return "none";
  if (typeof body === "string") return "text";
  if (typeof body === "number" || typeof body === "bigint") return "number";
  if (typeof body === "boolean") return "boolean";
  if (body instanceof Uint8Array) return "bytes";
  if (body instanceof Date) return "date";
  return isPlainData(body) ? "json" : "object";
}

/** Bytes as text when they are UTF-8, else as base64. */
export function bytesAsText(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return base64Of(bytes);
  }
}

/** The last position up to `end` that is not inside a UTF-8 sequence: half a character would make the text base64. */
function endOfCharacter(bytes: Uint8Array, end: number): number {
  let at = end;
  while (at > Math.max(0, end - 3) && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    text += digits.charAt(bits >> 18) + digits.charAt((bits >> 12) & 63);
    text += (second === undefined ? "=" : digits.charAt((bits >> 6) & 63)) + (third === undefined ? "=" : digits.charAt(bits & 63));
  }
  return text;
}

/** The value as JSON data, at most about `limit` characters of it. */
export function toPlain(value: unknown, limit = Infinity): unknown {
  return toPlainWithin(value, limit).plain;
}

/** Like `toPlain`; `complete` is false when the value was truncated. */
export function toPlainWithin(value: unknown, limit: number): { readonly plain: unknown; readonly complete: boolean } {
  let remaining = limit;
  const seen = new Set<object>();
  const plain = visit(value, 0);
  return { plain, complete: remaining > 0 };

  function visit(item: unknown, depth: number): unknown {
    remaining -= 8;
    if (item === null || item === undefined) return null;
    if (typeof item === "string") {
      const text = remaining < item.length ? item.slice(0, Math.max(0, remaining)) : item;
      remaining -= text.length;
      return text;
    }
    if (typeof item === "number") return Number.isFinite(item) ? item : String(item);
    if (typeof item === "boolean") return item;
    if (typeof item !== "object") return String(item);
    if (item instanceof Date) return Number.isNaN(item.getTime()) ? null : item.toISOString();
    if (item instanceof Uint8Array) return bytes(item, depth);
    if (item instanceof Error) return item.message;
    if (depth > maxDepth || seen.has(item)) return null;
    seen.add(item);
    try {
      return container(item, depth);
    } catch {
      // Getters may throw; inspection must not.
      return "[unreadable]";
    } finally {
      seen.delete(item);
    }
  }

  function bytes(item: Uint8Array, depth: number): unknown {
    if (item.byteLength <= remaining) return visit(bytesAsText(item), depth);
    const text = visit(bytesAsText(item.subarray(0, endOfCharacter(item, Math.max(0, remaining)))), depth);
    // Characters of several bytes make the text shorter than the limit although it is truncated.
    remaining = Math.min(0, remaining);
    return text;
  }

  function container(item: object, depth: number): unknown {
    if (Array.isArray(item) || item instanceof Set) {
      const list: unknown[] = [];
      for (const inner of item as Iterable<unknown>) {
        if (remaining <= 0) break;
        list.push(visit(inner, depth + 1));
      }
      return list;
    }
    if (!isPlainData(item)) return describeObject(item);
    const entries = item instanceof Map ? item.entries() : entriesOf(item);
    const object: Record<string, unknown> = {};
    for (const [key, inner] of entries) {
      if (remaining <= 0) break;
      const name = String(key);
      remaining -= name.length;
      if (inner === undefined) continue;
      const value = visit(inner, depth + 1);
      // Assigning `__proto__` would set the prototype. Defining every property would be several times slower.
      if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
      else object[name] = value;
    }
    return object;
  }
}

/** A lazy Object.entries: an object may have 100,000 members, of which only a few are visited. */
function* entriesOf(item: object): Generator<readonly [string, unknown]> {
  for (const key of Object.keys(item)) yield [key, (item as Readonly<Record<string, unknown>>)[key]];
}

/** An object with behavior (a document, a stream): its text form if it defines one, else its type. */
function describeObject(item: object): string {
  const { toString } = item as { toString?: unknown };
  return typeof toString === "function" && toString !== Object.prototype.toString ? String(toString.call(item)) : `[${item.constructor?.name ?? "object"}]`;
}
