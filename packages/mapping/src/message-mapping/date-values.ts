// Dates in messages: ISO 8601, the eight digits of SAP and EDI, or milliseconds. A time without offset is UTC: the result of a mapping must not
// depend on where it runs.
import { parseIsoDate, zoneOf } from "@sluice/engine/values";
import { formatValue } from "../problem.ts";
import { MappingFault } from "./mapping-fault.ts";
import { scalarOf } from "./values.ts";

const utc = zoneOf("UTC");

/** Milliseconds since 1970; throws a fault when the value is not a date. */
export const toTime = (input: unknown, what = "a date"): number => timeOf(scalarOf(input), input, what);

function timeOf(value: unknown, input: unknown, what: string): number {
  const time = parseKnownForms(value);
  if (time === undefined) throw new MappingFault("type", `expected ${what}, got ${formatValue(scalarOf(input))}`, input);
  return time;
}

function parseKnownForms(value: unknown): number | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.getTime();
  if (typeof value === "number") {
    if (value >= 19_000_101 && value <= 99_991_231) return basicDate(String(value));
    return Math.abs(value) <= 8.64e15 ? value : undefined;
  }
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return /^\d{8}(?:\d{4}(?:\d{2})?)?$/.test(text) ? basicDate(text) : parseIsoDate(text, utc);
}

function basicDate(text: string): number | undefined {
  return parseIsoDate(
    `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}T${text.slice(8, 10) || "00"}:${text.slice(10, 12) || "00"}:${text.slice(12, 14) || "00"}Z`,
  );
}

/** An offset after a date or a time. */
const trailingOffset = /(?<=^\d{4}-\d\d-\d\d|:\d\d(?:[.,]\d{1,9})?)\s*(?:Z|[+-]\d\d(?::?\d\d)?)$/;

/** The date and time of day as written, treated as UTC: a date or a time alone has no zone to convert to. */
export function writtenTime(input: unknown, what = "a date"): number {
  const value = scalarOf(input);
  return timeOf(typeof value === "string" ? value.trim().replace(trailingOffset, "") : value, input, what);
}

const isoText = /^(\d{4})-(\d\d)-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** True for a valid date in ISO 8601 form. Faster than parsing, because no Date is created: most dates are copied unchanged. */
function isIsoText(text: string): boolean {
  const match = isoText.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  if (month === 2) return day <= (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28);
  return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
}

/** The day of a value, as written. */
export function toDay(input: unknown): string {
  const value = scalarOf(input);
  if (typeof value === "string" && isIsoText(value)) return value.slice(0, 10);
  return new Date(writtenTime(input)).toISOString().slice(0, 10);
}

/** True for text with a day and no time of day. */
export const isDayOnly = (value: unknown): boolean => /^\s*\d{4}(-?)\d\d\1\d\d\s*$/.test(String(value));

/** The time of day of a value, as written: of a time alone, or of a date and time. */
export function toTimeOfDay(input: unknown): string {
  const value = scalarOf(input);
  return parseTimeOfDay(value) === undefined ? new Date(writtenTime(input, "a time")).toISOString().slice(11, 19) : (value as string);
}

/** The time of day of a value, as milliseconds on 1970-01-01, for formatting with a pattern. */
export function timeOfDayMs(input: unknown): number {
  return parseTimeOfDay(scalarOf(input)) ?? writtenTime(input, "a time");
}

function parseTimeOfDay(value: unknown): number | undefined {
  return typeof value === "string" ? parseIsoDate(`1970-01-01T${value.trim()}`.replace(trailingOffset, ""), utc) : undefined;
}
