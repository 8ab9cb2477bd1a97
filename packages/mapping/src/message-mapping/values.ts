// Conversions between values of the mapping language. Null passes through: a missing source field is not an error until a rule requires it.
import { asText, compareValues, isPlainObject, looseEquals, setEntry } from "@sluice/engine/values";
import { formatValue } from "../problem.ts";
import { runLimits, type MappingRun } from "./frame.ts";
import { MappingFault } from "./mapping-fault.ts";

const decimal = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** Parses a number; undefined when the text is not one, or too large. */
export function numberIn(text: string): number | undefined {
  const number = decimal.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

export const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;

/** An XML element with attributes counts as its text wherever a single value is expected. */
export function scalarOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date || Array.isArray(value)) return value;
  if (Object.hasOwn(value, "#text")) return (value as Readonly<Record<string, unknown>>)["#text"];
  return isEmptyElement(value) ? "" : value;
}

/**
 * True for an XML element with attributes and no content. Only the XML reader creates objects without a prototype: `{"@id": 1}` in JSON is
 * data.
 */
export function isEmptyElement(value: object): boolean {
  if (Object.getPrototypeOf(value) !== null) return false;
  let isElement = false;
  for (const name in value) {
    if (!name.startsWith("@")) return false;
    isElement = true;
  }
  return isElement;
}

/** Converts a value to a number; null and empty text become null. Throws a fault if the value is not numeric. */
export function toNumber(input: unknown): number | null {
  if (typeof input === "number") return input;
  const value = scalarOf(input);
  if (isNothing(value) || value === "") return null;
  if (typeof value === "number") return value;
  const number = typeof value === "string" ? numberIn(value) : undefined;
  if (number !== undefined) return number;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return Number(value);
  throw new MappingFault("type", `expected a number, got ${formatValue(value)}`, input);
}

/** Rejects numbers that are not finite: they would be written as null. */
export function finite<T>(value: T): T {
  if (typeof value === "number" && !Number.isFinite(value)) throw new MappingFault("expression", "the result is not a finite number");
  return value;
}

export function toText(input: unknown): string {
  if (typeof input === "string") return input;
  return asText(scalarOf(input));
}

/** Truthiness: null, false, 0, empty text, the text "false" and an empty list are false. */
export function isTruthy(input: unknown): boolean {
  if (typeof input === "boolean") return input;
  const value = scalarOf(input);
  // An element with attributes exists, with or without text.
  if (value === "" && typeof input === "object" && input !== null && !Object.hasOwn(input, "#text")) return true;
  if (isNothing(value) || value === false || value === 0 || value === "") return false;
  if (typeof value === "string") return value.trim() !== "" && value.trim().toLowerCase() !== "false";
  return !Array.isArray(value) || value.length > 0;
}

/** Null becomes an empty list, a list is unchanged, and any other value becomes a list of one. */
export function toList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isNothing(value) ? [] : value instanceof Set ? [...value] : [value];
}

/** Like `==` in flows, but a number equals any text with the same numeric value: `20` equals `"20.00"`, consistent with `<` and `>`. */
export function areEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one === "number") return typeof other !== "number" && equalsNumber(one, scalarOf(other));
  if (typeof other === "number") return equalsNumber(other, scalarOf(one));
  return looseEquals(scalarOf(one), scalarOf(other));
}

function equalsNumber(number: number, value: unknown): boolean {
  return typeof value === "string" ? numberIn(value) === number : looseEquals(number, value);
}

/** Negative, 0 or positive; undefined when either value is null. */
export function compare(one: unknown, other: unknown): number | undefined {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return compareValues(scalarOf(one), scalarOf(other));
}

/** Sort order, reversed by a sign of -1; missing values come last either way. */
export function compareMissingLast(one: unknown, other: unknown, sign: 1 | -1): number {
  if (isNothing(one) || isNothing(other)) return Number(isNothing(one)) - Number(isNothing(other));
  return (compare(one, other) ?? 0) * sign;
}

/** A deep copy, so that later steps may change either. The copied values count toward the output limits of the run. */
export function deepCopy(value: unknown, run: MappingRun, depth = 0): unknown {
  if (depth > 0) run.write(value);
  if (typeof value !== "object" || value === null) return finite(value);
  if (depth > runLimits.valueDepth) throw new MappingFault("limit", `a value is nested deeper than ${runLimits.valueDepth} levels`);
  if (Array.isArray(value)) return value.map((item) => deepCopy(item, run, depth + 1));
  if (value instanceof Date || value instanceof Uint8Array) return value;
  if (!(value instanceof Map) && !isPlainObject(value)) return asText(value);
  // An empty element stays an empty element, for a later type conversion.
  const copy = (depth === 0 && isEmptyElement(value) ? Object.create(null) : {}) as Record<string, unknown>;
  for (const [name, item] of value instanceof Map ? value : Object.entries(value)) setEntry(copy, String(name), deepCopy(item, run, depth + 1));
  return copy;
}

/** Rounds half away from zero, as with money. Negative digits round to tens and hundreds. */
export function roundTo(value: number, digits: number): number {
  if (!Number.isFinite(value) || (digits >= 0 && Number.isInteger(value))) return value;
  const { significantDigits, exponent } = decimalOf(value);
  // Rounds the decimal digits: multiplication would round the binary fraction (1.005), and be off by one in the last of many digits.
  const keptDigits = exponent + 1 + digits;
  if (keptDigits >= significantDigits.length) return value;
  if (keptDigits < 0) return 0;
  const isUp = significantDigits.charAt(keptDigits) >= "5";
  const rounded = Number(`${BigInt(significantDigits.slice(0, keptDigits)) + (isUp ? 1n : 0n)}e${-digits}`);
  return value < 0 ? -rounded + 0 : rounded;
}

/** The fewest digits that identify a number without its sign, and the exponent of the first one: 0.012 is `12`, -2. */
export function decimalOf(value: number): { readonly significantDigits: string; readonly exponent: number } {
  const [written = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  return { significantDigits: written.replace(".", ""), exponent: Number(exponent) };
}
