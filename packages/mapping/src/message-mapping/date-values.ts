// Dates as messages carry them: ISO 8601, the eight digits of SAP and EDI, milliseconds, or text by a pattern. Without an
// offset a time is UTC: what a mapping gives must not depend on where it runs.
import { compileDateFormat, parseIsoDate, zoneOf, type DateFormat, type Zone } from "@sluice/engine/spi";
import { shown } from "../problem.ts";
import { MappingFault } from "./mapping-fault.ts";
import { scalarOf } from "./values.ts";

const utc = zoneOf("UTC");
const formats = new Map<string, DateFormat>();
const digits: Readonly<Record<string, string>> = { y: "year", M: "month", d: "day", H: "hour", m: "minute", s: "second", S: "millisecond" };
const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Milliseconds since 1970; a fault when the value is no date. */
export function toTime(given: unknown, what = "a date"): number {
  const value = scalarOf(given);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime();
  if (typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= 8.64e15)
    return value >= 19_000_101 && value <= 99_991_231 ? basicDate(String(value), given, what) : value;
  if (typeof value === "string") {
    const text = value.trim();
    if (/^\d{8}(?:\d{4}(?:\d{2})?)?$/.test(text)) return basicDate(text, given, what);
    const time = parseIsoDate(text, utc);
    if (time !== undefined) return time;
  }
  throw new MappingFault("type", `expected ${what}, got ${shown(value)}`, given);
}

function basicDate(text: string, given: unknown, what: string): number {
  const iso = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}T${text.slice(8, 10) || "00"}:${text.slice(10, 12) || "00"}:${text.slice(12, 14) || "00"}Z`;
  const time = parseIsoDate(iso);
  if (time === undefined) throw new MappingFault("type", `expected ${what}, got ${shown(given)}`, given);
  return time;
}

const isoText = /^(\d{4})-(\d\d)-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** Says what parsing would say, without making a date: most dates only pass through. */
function isIsoText(text: string): boolean {
  const match = isoText.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  if (month === 2) return day <= (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28);
  return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
}

/** The day a value names, as written when it is ISO text: a day has no zone to convert to. */
export function toDay(value: unknown): string {
  if (typeof value === "string" && isIsoText(value)) return value.slice(0, 10);
  return new Date(toTime(value)).toISOString().slice(0, 10);
}

export function formatTime(time: number, pattern: string, zone?: string): string {
  let format = formats.get(pattern);
  if (format === undefined) {
    format = compileDateFormat(pattern);
    if (formats.size < 500) formats.set(pattern, format);
  }
  return format(time, zone === undefined ? utc : zoneNamed(zone));
}

function zoneNamed(name: string): Zone {
  const zone = zoneOf(name);
  if (zone.id !== name && name !== "Z") throw new MappingFault("expression", `unknown time zone '${name}'`);
  return zone;
}

const pad = (value: number | undefined, length = 2): string => String(value).padStart(length, "0");

/** The time a text means by a pattern of y M d H m s S X and literal text. */
export function parseTime(text: string, pattern: string, zone?: string): number {
  const parts: Record<string, number> = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
  const fail = (): never => {
    throw new MappingFault("type", `expected a date like ${pattern}, got ${shown(text)}`, text);
  };
  let offset: string | undefined;
  let at = 0;
  for (const match of pattern.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^]/g)) {
    const [piece, quoted, letter] = match;
    if (letter === undefined) {
      const literal = quoted === undefined ? piece : quoted === "" ? "'" : quoted.replaceAll("''", "'");
      if (!text.startsWith(literal, at)) fail();
      at += literal.length;
      continue;
    }
    const next = pattern[(match.index ?? 0) + piece.length];
    const found = readPart(text, at, piece, next !== undefined && /[A-Za-z]/.test(next));
    if (found === undefined) return fail();
    if (letter === "X" || letter === "Z") offset = found.text;
    else parts[digits[letter] as string] = found.number;
    at = found.end;
  }
  if (at !== text.length) fail();
  const iso = `${pad(parts["year"], 4)}-${pad(parts["month"])}-${pad(parts["day"])}T${pad(parts["hour"])}:${pad(parts["minute"])}:${pad(parts["second"])}.${pad(parts["millisecond"], 3)}${offset ?? ""}`;
  return parseIsoDate(iso, zone === undefined ? utc : zoneNamed(zone)) ?? fail();
}

interface DatePart {
  readonly number: number;
  readonly text: string;
  readonly end: number;
}

function readPart(text: string, at: number, piece: string, isAdjacent: boolean): DatePart | undefined {
  const letter = piece[0] as string;
  const rest = text.slice(at, at + 40);
  if (letter === "X" || letter === "Z") return part(/^(?:Z|[+-]\d{2}(?::?\d{2})?)/.exec(rest)?.[0], at, 0);
  if (!Object.hasOwn(digits, letter)) throw new MappingFault("expression", `the letter ${letter} cannot be read in a date pattern`);
  if (letter === "M" && piece.length >= 3) {
    const word = /^[A-Za-z]+/.exec(rest)?.[0];
    const month = word === undefined ? -1 : monthNames.indexOf(word.slice(0, 3).toLowerCase());
    return month < 0 ? undefined : part(word, at, month + 1);
  }
  const found = new RegExp(isAdjacent ? `^\\d{${piece.length}}` : `^\\d{1,${letter === "y" ? 4 : Math.max(2, piece.length)}}`).exec(rest)?.[0];
  const number = Number(found);
  return part(found, at, letter === "y" && piece.length === 2 && found?.length === 2 ? number + (number < 70 ? 2000 : 1900) : number);
}

const part = (text: string | undefined, at: number, number: number): DatePart | undefined =>
  text === undefined ? undefined : { number, text, end: at + text.length };
