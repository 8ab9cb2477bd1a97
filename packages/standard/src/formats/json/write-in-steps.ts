// Writes a large value as JSON in slices: JSON.stringify cannot be interrupted, so it is called for parts of the value.
import { checkTextLength } from "@sluice/engine/values";
import { writeJson } from "./json-text.ts";
import { withoutNull } from "./without-null.ts";

/** Values per slice: writing them takes a millisecond or two. */
const partWeight = 2_000;
/** Minimum number of values above which writing yields to other runs. */
const longFrom = 20_000;
/** Maximum number of values in one text, the same as when it is written synchronously. */
const mostValues = 2_000_000;
/** Values that are nested deeper, or contain themselves, are written synchronously, which rejects them. */
const deepest = 1000;

/** Whether a value is large enough to be written in slices. Text and bytes are written synchronously, which is fast. */
export function isLongToWrite(value: unknown): boolean {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array) && weightOf(value, longFrom) >= longFrom;
}

/** The JSON text of a value, equal to that of {@link writeJson}. */
export function* writeJsonInSteps(value: unknown, leaveOutNull: boolean): Generator<undefined, string> {
  const written: string[] = [];
  let left = mostValues;
  const add = (text: string, weight: number): void => {
    left -= weight;
    if (left < 0) checkTextLength(Infinity);
    written.push(text);
  };
  function* write(members: Members, depth: number): Generator<undefined, void> {
    const isList = Array.isArray(members);
    const part = new Part(isList);
    let separator = "";
    const finishPart = (): void => {
      const { weight } = part;
      const text = part.take(leaveOutNull);
      if (text === "") return;
      add(separator + text, weight);
      separator = ",";
    };
    add(isList ? "[" : "{", 1);
    for (const [key, item] of entriesOf(members)) {
      const weight = weightOf(item, partWeight);
      const inner = weight >= partWeight && depth < deepest ? membersOf(item) : undefined;
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
  if (members === undefined) return writeJson(value);
  yield* write(members, 0);
  return written.join("");
}

type Members = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The children of a list or an object; undefined for a value that cannot be written in parts. */
function membersOf(value: unknown): Members | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return value as readonly unknown[];
  if (value instanceof Map) return Object.fromEntries(value) as Record<string, unknown>;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const object = value as Readonly<Record<string, unknown>>;
  return typeof object["toJSON"] === "function" ? undefined : object;
}

function* entriesOf(members: Members): Generator<readonly [string, unknown]> {
  if (Array.isArray(members)) for (const item of members as readonly unknown[]) yield ["", item];
  else for (const key of Object.keys(members)) yield [key, (members as Readonly<Record<string, unknown>>)[key]];
}

/** Number of values in a value, including itself; long texts count as several. Stops counting at `most`. */
function weightOf(value: unknown, most: number): number {
  if (typeof value === "string" || value instanceof Uint8Array) return 1 + value.length / 32;
  if (typeof value !== "object" || value === null) return 1;
  let weight = 1;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight < most; index++) weight += weightOf(value[index], most - weight);
  } else if (value instanceof Map) {
    for (const item of value.values()) if ((weight += weightOf(item, most - weight)) >= most) break;
  } else {
    for (const key in value) if ((weight += weightOf((value as Readonly<Record<string, unknown>>)[key], most - weight)) >= most) break;
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
  take(leaveOutNull: boolean): string {
    const members = this.#isList ? this.#list : this.#object;
    this.weight = 0;
    this.#list = [];
    this.#object = Object.create(null) as Record<string, unknown>;
    return writeJson(leaveOutNull ? withoutNull(members) : members).slice(1, -1);
  }
}
