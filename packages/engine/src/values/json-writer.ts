// Writes a large value as JSON in parts: JSON.stringify cannot be interrupted, so it is called for one part of the value at a time.
import { checkTextLength } from "./limit.ts";
import { asJson, textForm } from "./text.ts";

/** Number of values per part. Writing a part takes one or two milliseconds. */
const partWeight = 2_000;
/** Minimum number of values for writing in parts, with other runs in between. */
const longFrom = 20_000;
/** Maximum number of values in one JSON text; the same limit applies to synchronous writing. */
const maxValues = 2_000_000;
/** Maximum depth at which a value is split into parts. Deeper values are written by one JSON.stringify call, which rejects circular ones. */
const maxDepth = 1000;

/** True for a list or map that is so large that writing it at once would block the event loop. */
export function shouldWriteInParts(value: unknown): boolean {
  return canWriteInParts(value) && isLongJson(value);
}

/** True for a list or map without a custom text form. */
export function canWriteInParts(value: unknown): boolean {
  if (typeof value !== "object" || value === null || textForm in value) return false;
  if (Array.isArray(value) || value instanceof Map) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return typeof (value as Readonly<Record<string, unknown>>)["toJSON"] !== "function";
}

/** Whether a JSON value has so many parts that copying or writing it at once would block the event loop. */
export function isLongJson(value: unknown): boolean {
  return weightOf(value, longFrom) >= longFrom;
}

/** The JSON text of a value, equal to that of {@link asJson}; `shape` is applied to each part before it is written. */
export function* asJsonIncrementally(value: unknown, shape?: (part: unknown) => unknown): Generator<undefined, string> {
  const parts: string[] = [];
  let remaining = maxValues;
  const add = (text: string, weight: number): void => {
    remaining -= weight;
    if (remaining < 0) checkTextLength(Infinity);
    parts.push(text);
  };
  function* write(members: Members, depth: number): Generator<undefined, void> {
    const isList = Array.isArray(members);
    const part = new Part(isList);
    let separator = "";
    const finishPart = (): void => {
      const { weight } = part;
      const text = part.take(shape);
      if (text === "") return;
      add(separator + text, weight);
      separator = ",";
    };
    add(isList ? "[" : "{", 1);
    for (const [key, item] of entriesOf(members)) {
      const weight = weightOf(item, partWeight);
      const inner = weight >= partWeight && depth < maxDepth ? membersOf(item) : undefined;
      if (inner === undefined) part.add(key, item, weight);
      if (inner === undefined && part.weight < partWeight) continue;
      finishPart();
      yield undefined;
      if (inner === undefined) continue;
      add(isList ? separator : `${separator}${JSON.stringify(key)}:`, 0);
      separator = ",";
      yield* write(inner, depth + 1);
    }
    finishPart();
    add(isList ? "]" : "}", 0);
  }
  const members = membersOf(value);
  if (members === undefined) return asJson(shape === undefined ? value : shape(value));
  yield* write(members, 0);
  return parts.join("");
}

type Members = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The children of a list or an object; undefined for a value that cannot be written in parts. */
function membersOf(value: unknown): Members | undefined {
  if (!canWriteInParts(value)) return undefined;
  return value instanceof Map ? (Object.fromEntries(value) as Record<string, unknown>) : (value as Members);
}

function* entriesOf(members: Members): Generator<readonly [string, unknown]> {
  if (Array.isArray(members)) for (const item of members as readonly unknown[]) yield ["", item];
  else for (const key of Object.keys(members)) yield [key, (members as Readonly<Record<string, unknown>>)[key]];
}

/** Number of values in a value, including itself; long strings count as several. Stops counting at `limit`, and below the maximum depth. */
function weightOf(value: unknown, limit: number, depth = 0): number {
  if (typeof value === "string" || value instanceof Uint8Array) return 1 + value.length / 32;
  if (typeof value !== "object" || value === null || depth > maxDepth) return 1;
  let weight = 1;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight < limit; index++) weight += weightOf(value[index], limit - weight, depth + 1);
  } else if (value instanceof Map) {
    for (const item of value.values()) if ((weight += weightOf(item, limit - weight, depth + 1)) >= limit) break;
  } else {
    for (const key in value) if ((weight += weightOf((value as Readonly<Record<string, unknown>>)[key], limit - weight, depth + 1)) >= limit) break;
  }
  return weight;
}

/** Adjacent members that are written together. */
class Part {
  weight = 0;
  readonly #isList: boolean;
  #list: unknown[] = [];
  #object: Record<string, unknown> = Object.create(null) as Record<string, unknown>;

  constructor(isList: boolean) {
    this.#isList = isList;
  }

  add(key: string, item: unknown, weight: number): void {
    this.weight += weight;
    if (this.#isList) this.#list.push(item);
    else this.#object[key] = item;
  }

  /** The members as JSON, without the brackets around them. */
  take(shape: ((part: unknown) => unknown) | undefined): string {
    const members = this.#isList ? this.#list : this.#object;
    this.weight = 0;
    this.#list = [];
    this.#object = Object.create(null) as Record<string, unknown>;
    return asJson(shape === undefined ? members : shape(members)).slice(1, -1);
  }
}
