// Equality of values. Messages often carry numbers as text, so comparison converts.
import { asText } from "./text.ts";

const integer = /^-?\d+$/;
const decimal = /^-?\d+\.\d+$/;

/** `==` in flows: null equals only null; integers and booleans equal their text. */
export function looseEquals(one: unknown, other: unknown): boolean {
  return equals(one, other, false);
}

/** Like {@link looseEquals}, ignoring case. */
export function looseEqualsIgnoreCase(one: unknown, other: unknown): boolean {
  return equals(one, other, true);
}

function equals(one: unknown, other: unknown, ignoreCase: boolean): boolean {
  if (one === other) return true;
  if (one === null || one === undefined) return other === null || other === undefined;
  if (other === null || other === undefined) return false;
  const left = one instanceof Uint8Array ? asText(one) : one;
  const right = other instanceof Uint8Array ? asText(other) : other;
  if (typeof left === "string") return typeof right === "string" ? textEquals(left, right, ignoreCase) : scalarEquals(right, left, ignoreCase);
  if (typeof right === "string") return scalarEquals(left, right, ignoreCase);
  if (typeof left === "boolean" && typeof right === "number") return left === right > 0;
  if (typeof left === "number" && typeof right === "boolean") return right === left > 0;
  return strictEquals(left, right);
}

function textEquals(one: string, other: string, ignoreCase: boolean): boolean {
  if (one === other) return true;
  if (integer.test(one) && integer.test(other)) return sameInteger(one, other);
  return ignoreCase && one.toLowerCase() === other.toLowerCase();
}

function sameInteger(one: string, other: string): boolean {
  // Creating a BigInt of millions of digits takes minutes; comparing the digits does not.
  return one.length < 16 && other.length < 16 ? Number(one) === Number(other) : withoutZeros(one) === withoutZeros(other);
}

function withoutZeros(digits: string): string {
  const bare = digits.replace(/^(-?)0+(?=\d)/, "$1");
  return bare === "-0" ? "0" : bare;
}

/** Compares a value that is not text with text. */
function scalarEquals(value: unknown, text: string, ignoreCase: boolean): boolean {
  if (typeof value === "number") {
    if (integer.test(text)) return value === Number(text);
    return !Number.isInteger(value) && decimal.test(text) && value === Number(text);
  }
  if (typeof value === "boolean") return value === (text.toLowerCase() === "true");
  const valueText = asText(value);
  return valueText === text || (ignoreCase && valueText.toLowerCase() === text.toLowerCase());
}

/**
 * Compares a value with a decimal literal of the flow (`1.0`). Text with decimals is compared by value, unlike in {@link looseEquals}, where `1`
 * is not `"1.0"`.
 */
export function equalsDecimal(value: unknown, literal: number): boolean {
  const text = value instanceof Uint8Array ? asText(value) : value;
  if (typeof text === "string" && decimal.test(text)) return Number(text) === literal;
  return looseEquals(text, literal);
}

/** Equal without any conversion; lists and maps by content. */
export function strictEquals(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null || depth > 500) return false;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((item, index) => strictEquals(item, other[index], depth + 1));
  if (one instanceof Date) return other instanceof Date && one.getTime() === other.getTime();
  if (one instanceof Uint8Array) return other instanceof Uint8Array && one.length === other.length && one.every((byte, index) => byte === other[index]);
  const left = entriesOf(one);
  const right = entriesOf(other);
  if (left === undefined || right === undefined || left.size !== right.size) return false;
  for (const [key, value] of left) if (!right.has(key) || !strictEquals(value, right.get(key), depth + 1)) return false;
  return true;
}

function entriesOf(value: object): ReadonlyMap<unknown, unknown> | undefined {
  if (value instanceof Map) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? new Map(Object.entries(value)) : undefined;
}
