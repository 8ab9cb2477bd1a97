// Serializes values as JSON. Types that JSON lacks are tagged ($date, $bytes, $map), so that a body is restored with its types.
// Bounded: a value that is too large is rejected before it is written.
import { asText, textForm } from "@sluice/engine/values";

const maxDepth = 200;

/** Thrown for values that cannot be stored. */
export class NotStorable extends Error {}

/** Serializes a value; throws NotStorable for values that are not data or longer than about `limit` characters. */
export function encodeData(value: unknown, limit: number): string {
  let remaining = limit;
  const text = JSON.stringify(visit(value, 0));
  if (text.length > limit) throw tooLarge(limit);
  return text;

  function visit(item: unknown, depth: number): unknown {
    remaining -= 2;
    if (remaining < 0) throw tooLarge(limit);
    switch (typeof item) {
      case "string":
        remaining -= item.length;
        return item;
      case "boolean":
        return item;
      case "number":
        return Number.isFinite(item) && !Object.is(item, -0) ? item : { $number: Object.is(item, -0) ? "-0" : String(item) };
      case "undefined":
        return null;
      case "bigint":
        return { $bigint: String(item) };
      case "object":
        return item === null ? null : container(item, depth);
      default:
        throw new NotStorable(`it contains a ${typeof item}; convert it to text, bytes or JSON data first`);
    }
  }

  function container(item: object, depth: number): unknown {
    if (depth > maxDepth) throw new NotStorable(`it is nested deeper than ${maxDepth} levels`);
    if (Array.isArray(item)) return item.map((inner) => visit(inner, depth + 1));
    if (item instanceof Date) return { $date: Number.isNaN(item.getTime()) ? null : item.getTime() };
    if (item instanceof Uint8Array) return bytes(item);
    if (item instanceof Map) return { $map: [...item].map(([key, inner]) => [visit(key, depth + 1), visit(inner, depth + 1)]) };
    if (item instanceof Set) return { $set: [...item].map((inner) => visit(inner, depth + 1)) };
    if (textForm in item) return visit(asText(item), depth);
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype !== null && prototype !== Object.prototype)
      throw new NotStorable(`it contains a ${item.constructor?.name ?? "custom object"}; convert it to text, bytes or JSON data first`);
    return members(item, depth);
  }

  function members(item: object, depth: number): unknown {
    const copy = Object.create(null) as Record<string, unknown>;
    let tagged = false;
    for (const name of Object.keys(item)) {
      remaining -= name.length;
      tagged ||= name.startsWith("$");
      copy[name] = visit((item as Record<string, unknown>)[name], depth + 1);
    }
    return tagged ? { $object: copy } : copy;
  }

  function bytes(item: Uint8Array): unknown {
    remaining -= item.byteLength;
    if (remaining < 0) throw tooLarge(limit);
    return { $bytes: Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString("base64") };
  }
}

/** Parses text written by encodeData. */
export function decodeData(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Fast path: most messages have no tags.
  return text.includes('"$') ? revive(value) : value;
}

function revive(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  if (Array.isArray(item)) return item.map(revive);
  const { $date, $bytes, $map, $set, $number, $bigint, $object } = item as Record<string, unknown>;
  if ($date !== undefined) return new Date($date === null ? Number.NaN : ($date as number));
  if ($bytes !== undefined) return new Uint8Array(Buffer.from($bytes as string, "base64"));
  if ($map !== undefined) return new Map(($map as [unknown, unknown][]).map(([key, inner]) => [revive(key), revive(inner)]));
  if ($set !== undefined) return new Set(($set as unknown[]).map(revive));
  if ($number !== undefined) return Number($number);
  if ($bigint !== undefined) return BigInt($bigint as string);
  return reviveMembers(($object ?? item) as Record<string, unknown>);
}

function reviveMembers(item: Record<string, unknown>): unknown {
  for (const name of Object.keys(item)) {
    const value = revive(item[name]);
    if (value === item[name]) continue;
    Object.defineProperty(item, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return item;
}

const tooLarge = (limit: number): NotStorable => new NotStorable(`it is larger than ${limit} bytes`);
