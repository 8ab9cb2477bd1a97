// jq's view of JSON values: kinds, order and text. Only own members of objects are visible.
import { JqError, type JqMachine } from "./jq-machine.ts";

export type Members = Record<string, unknown>;
export type Kind = "null" | "boolean" | "number" | "string" | "array" | "object";

export function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : "object";
}

export function isTruthy(value: unknown): boolean {
  return value !== null && value !== false && value !== undefined;
}

/** Sets a member in place; `__proto__` becomes an ordinary member. */
export function setMember(value: Members, name: string, member: unknown): void {
  if (name === "__proto__") Object.defineProperty(value, name, { value: member, writable: true, enumerable: true, configurable: true });
  else value[name] = member;
}

export function copyMembers(value: object, machine: JqMachine): Members {
  machine.spend(Object.keys(value).length / 2);
  return { ...value };
}

export function memberOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Members)[name] : null;
}

export function sortedKeys(value: object, machine?: JqMachine): string[] {
  const keys = Object.keys(value);
  machine?.spend(keys.length / 4);
  return keys.sort(compareText);
}

/** Order by code point, equal to jq's order of UTF-8 bytes. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return sortKey(a) - sortKey(b);
  }
  return left.length - right.length;
}

/** Sorts surrogates last: they encode code points above U+FFFF. */
function sortKey(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function rank(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === "boolean") return value ? 2 : 1;
  if (typeof value === "number") return 3;
  if (typeof value === "string") return 4;
  return Array.isArray(value) ? 5 : 6;
}

/** jq's order: null, false, true, numbers, strings, arrays, objects. */
export function compare(left: unknown, right: unknown): number {
  const order = rank(left) - rank(right);
  if (order !== 0) return order;
  if (typeof left === "number") return left < (right as number) || Number.isNaN(left) ? -1 : left === right ? 0 : 1;
  if (typeof left === "string") return compareText(left, right as string);
  if (Array.isArray(left)) return compareArrays(left as unknown[], right as unknown[]);
  return rank(left) === 6 ? compareObjects(left as object, right as object) : 0;
}

function compareArrays(left: readonly unknown[], right: readonly unknown[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const order = compare(left[index], right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareObjects(left: object, right: object): number {
  const names = sortedKeys(left);
  const order = compareArrays(names, sortedKeys(right));
  if (order !== 0) return order;
  for (const name of names) {
    const inner = compare((left as Members)[name], (right as Members)[name]);
    if (inner !== 0) return inner;
  }
  return 0;
}

export function isEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return (left ?? null) === (right ?? null);
  return compare(left, right) === 0;
}

/** A sorted copy of the items. The sort is stable and uses jq's order of the keys. */
export function sortBy<T>(items: readonly T[], key: (item: T) => unknown, machine: JqMachine): T[] {
  machine.spend(items.length);
  return items
    .map((item) => ({ item, key: key(item) }))
    .sort((left, right) => {
      machine.spend(0.125);
      return compare(left.key, right.key);
    })
    .map((pair) => pair.item);
}

/** The JSON text of a value in jq's format: NaN is null, infinities are the largest numbers. */
export function toJson(value: unknown, machine: JqMachine): string {
  const text = JSON.stringify(value, (_name, inner: unknown) => {
    machine.spend(0.25);
    if (inner === undefined) return null;
    return inner === Infinity ? Number.MAX_VALUE : inner === -Infinity ? -Number.MAX_VALUE : inner;
  });
  machine.chargeText(text.length);
  return text;
}

export function toText(value: unknown, machine: JqMachine): string {
  return typeof value === "string" ? value : toJson(value, machine);
}

/** A prefix of a value that is sufficient for the start of its text. */
function shorten(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.slice(0, previewLength);
  if (typeof value !== "object" || value === null) return value;
  if (depth === previewLength) return null;
  if (Array.isArray(value)) return value.slice(0, previewLength).map((item) => shorten(item, depth + 1));
  const members = Object.create(null) as Record<string, unknown>;
  let count = 0;
  for (const name in value) {
    if (count++ === previewLength) break;
    members[name] = shorten((value as Record<string, unknown>)[name], depth + 1);
  }
  return members;
}

const previewLength = 15;

/** A value for error messages, shortened. */
export function describe(value: unknown): string {
  const text = JSON.stringify(shorten(value, 0) ?? null) ?? "null";
  return `${kindOf(value)} (${text.length > 14 ? `${text.slice(0, 11)}...` : text})`;
}

export function fail(message: string): never {
  throw new JqError(message);
}

export function expectNumber(value: unknown): number {
  return typeof value === "number" ? value : fail(`${describe(value)} number required`);
}
