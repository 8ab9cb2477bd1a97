// Values as JSON text and back. What JSON cannot say is written under a tag ($date, $bytes, $map), so that a body comes
// back as what it was. Bounded: a value that is too large is given up before it is written.
import { asText, textForm } from "@sluice/engine/spi";

const deepest = 200;

/** What a value that cannot be kept is answered with. */
export class NotStorable extends Error {}

/** The value as JSON text; throws NotStorable for what is no data or longer than about `limit` characters. */
export function encodeData(value: unknown, limit: number): string {
  let left = limit;
  const text = JSON.stringify(visit(value, 0));
  if (text.length > limit) throw tooLarge(limit);
  return text;

  function visit(item: unknown, depth: number): unknown {
    left -= 2;
    if (left < 0) throw tooLarge(limit);
    switch (typeof item) {
      case "string":
        left -= item.length;
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
        throw new NotStorable(`a ${typeof item} cannot be kept on disk`);
    }
  }

  function container(item: object, depth: number): unknown {
    if (depth > deepest) throw new NotStorable(`it is nested more than ${deepest} deep`);
    if (Array.isArray(item)) return item.map((inner) => visit(inner, depth + 1));
    if (item instanceof Date) return { $date: Number.isNaN(item.getTime()) ? null : item.getTime() };
    if (item instanceof Uint8Array) return bytes(item);
    if (item instanceof Map) return { $map: [...item].map(([key, inner]) => [visit(key, depth + 1), visit(inner, depth + 1)]) };
    if (item instanceof Set) return { $set: [...item].map((inner) => visit(inner, depth + 1)) };
    if (textForm in item) return visit(asText(item), depth);
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype !== null && prototype !== Object.prototype) throw new NotStorable(`a ${item.constructor?.name ?? "foreign object"} cannot be kept on disk`);
    return members(item, depth);
  }

  function members(item: object, depth: number): unknown {
    const copy = Object.create(null) as Record<string, unknown>;
    let tagged = false;
    for (const name of Object.keys(item)) {
      left -= name.length;
      tagged ||= name.startsWith("$");
      copy[name] = visit((item as Record<string, unknown>)[name], depth + 1);
    }
    return tagged ? { $object: copy } : copy;
  }

  function bytes(item: Uint8Array): unknown {
    left -= item.byteLength;
    if (left < 0) throw tooLarge(limit);
    return { $bytes: Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString("base64") };
  }
}

/** The value of a text that encodeData wrote. */
export function decodeData(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Without a tag there is nothing to revive, which is how most messages are.
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
  return revivedMembers(($object ?? item) as Record<string, unknown>);
}

function revivedMembers(item: Record<string, unknown>): unknown {
  for (const name of Object.keys(item)) {
    const value = revive(item[name]);
    if (value === item[name]) continue;
    Object.defineProperty(item, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return item;
}

const tooLarge = (limit: number): NotStorable => new NotStorable(`it is larger than ${limit} bytes`);
