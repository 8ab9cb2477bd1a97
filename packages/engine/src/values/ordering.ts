import { asText } from "./text.ts";

const numeric = /^[+-]?(\d+(?:\.\d*)?|\.\d+)$/;

/**
 * Compares two values: negative, 0 or positive; undefined when one of them is null. Numbers and numeric text are compared as numbers,
 * booleans as false before true, everything else as text.
 */
export function compareValues(one: unknown, other: unknown): number | undefined {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (one === null || one === undefined || other === null || other === undefined) return undefined;
  const left = one instanceof Uint8Array ? asText(one) : one;
  const right = other instanceof Uint8Array ? asText(other) : other;
  const leftNumber = asNumber(left);
  const rightNumber = leftNumber === undefined ? undefined : asNumber(right);
  if (leftNumber !== undefined && rightNumber !== undefined) return leftNumber - rightNumber;
  if (typeof left === "boolean" || typeof right === "boolean") return booleanOrder(left) - booleanOrder(right);
  return compareText(asText(left), asText(right));
}

/** Text order by code unit, as in Java. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "string") return numeric.test(value) ? Number(value) : undefined;
  return value instanceof Date ? value.getTime() : typeof value === "bigint" ? Number(value) : undefined;
}

function booleanOrder(value: unknown): number {
  if (typeof value === "number") return value > 0 ? 1 : 0;
  return value === true || (typeof value === "string" && value.toLowerCase() === "true") ? 1 : 0;
}
