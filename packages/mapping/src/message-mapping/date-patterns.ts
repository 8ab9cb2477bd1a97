// Formats and parses dates by patterns such as dd.MM.yyyy. A time without zone or offset is UTC: the result of a mapping must not depend on
// where it runs.
import { compileDateFormat, instantOf, parseIsoDate, zoneOf, type DateFormat, type Zone } from "@sluice/engine/values";
import { formatValue } from "../problem.ts";
import { MappingFault } from "./mapping-fault.ts";

const utc = zoneOf("UTC");
const formats = new Map<string, DateFormat>();
const digits: Readonly<Record<string, string>> = { y: "year", M: "month", d: "day", H: "hour", m: "minute", s: "second", S: "fraction" };
const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

export function formatTime(time: number, pattern: string, zone?: string): string {
  return compileDatePattern(pattern)(time, zone === undefined ? utc : findZone(zone));
}

/** The format of a pattern; throws a FlowError for an invalid one. */
export function compileDatePattern(pattern: string): DateFormat {
  let format = formats.get(pattern);
  if (format === undefined) {
    format = compileDateFormat(pattern);
    if (formats.size < 500) formats.set(pattern, format);
  }
  return format;
}

function findZone(name: string): Zone {
  const zone = zoneOf(name);
  if (zone.id !== name && name !== "Z")
    throw new MappingFault("expression", `unknown time zone '${name}': use a name such as Europe/Berlin, or an offset such as +02:00`);
  return zone;
}

/** Parses a string with a pattern to an instant, using the offset in the string, else the zone, else UTC. */
export function parseTime(text: string, pattern: string, zone?: string): number {
  const { local, offset } = readByPattern(text, pattern);
  if (offset !== undefined) return instantOf(local, offset === "Z" ? utc : zoneOf(offset));
  return zone === undefined ? local : instantOf(local, findZone(zone));
}

/** Date and time of day as written, treated as UTC: a date alone has no zone to convert to. */
export const parseWritten = (text: string, pattern: string): number => readByPattern(text, pattern).local;

/** True when a pattern contains a time of day. */
export const hasTimeOfDay = (pattern: string): boolean => lettersOf(pattern).some((letter) => /[HmsS]/.test(letter));

/** Throws when strings cannot be parsed with the pattern: formatting supports more letters than parsing. */
export function checkParsable(pattern: string): void {
  compileDatePattern(pattern);
  for (const letter of lettersOf(pattern)) if (letter !== "X" && letter !== "Z") checkParsableLetter(letter);
}

const lettersOf = (pattern: string): readonly string[] => [...pattern.matchAll(pieces)].flatMap(([, , letter]) => letter ?? []);

function checkParsableLetter(letter: string): void {
  if (!Object.hasOwn(digits, letter))
    throw new MappingFault("expression", `'${letter}' cannot be used to parse a date: use ${Object.keys(digits).join(", ")}, X or Z`);
}

const pieces = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^]/g;
const isLetter = (character: string | undefined): boolean => character !== undefined && /[A-Za-z]/.test(character);
const pad = (value: string | undefined, length = 2): string => (value ?? "").padStart(length, "0");

function readByPattern(text: string, pattern: string): { readonly local: number; readonly offset: string | undefined } {
  const parts: Record<string, string> = { year: "1970", month: "1", day: "1", hour: "0", minute: "0", second: "0", fraction: "0" };
  const fail = (): never => {
    throw new MappingFault("type", `expected a date like ${pattern}, got ${formatValue(text)}`, text);
  };
  let offset: string | undefined;
  let at = 0;
  for (const { 0: piece, 1: quoted, 2: letter, index } of pattern.matchAll(pieces)) {
    if (letter === undefined) {
      const literal = quoted === undefined ? piece : quoted === "" ? "'" : quoted.replaceAll("''", "'");
      if (!text.startsWith(literal, at)) fail();
      at += literal.length;
      continue;
    }
    // Numbers without a separator between them are split by their digit counts.
    const found = readPart(text.slice(at, at + 40), piece, isLetter(pattern[index - 1]) || isLetter(pattern[index + piece.length])) ?? fail();
    if (letter === "X" || letter === "Z") offset = found.value;
    else parts[digits[letter] as string] = found.value;
    at += found.length;
  }
  if (at !== text.length) fail();
  const { year, month, day, hour, minute, second, fraction } = parts;
  const local = parseIsoDate(`${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:${pad(second)}.${pad(fraction, 3)}`, utc);
  return { local: local ?? fail(), offset };
}

interface DatePart {
  readonly value: string;
  /** Characters of the text it takes up. */
  readonly length: number;
}

function readPart(text: string, piece: string, isAdjacent: boolean): DatePart | undefined {
  const letter = piece[0] as string;
  if (letter === "X" || letter === "Z") return toPart(/^(?:Z|[+-]\d{2}(?::?\d{2})?)/.exec(text)?.[0]);
  checkParsableLetter(letter);
  if (letter === "M" && piece.length >= 3) return monthName(/^[A-Za-z]+/.exec(text)?.[0]);
  const maxDigits = letter === "y" ? 4 : Math.max(2, piece.length);
  const found = new RegExp(isAdjacent ? `^\\d{${piece.length}}` : `^\\d{1,${maxDigits}}`).exec(text)?.[0];
  if (letter === "y" && piece.length === 2 && found?.length === 2) return { value: `${Number(found) < 70 ? 20 : 19}${found}`, length: 2 };
  return letter === "S" && found !== undefined ? { value: found.padStart(piece.length, "0"), length: found.length } : toPart(found);
}

function monthName(word: string | undefined): DatePart | undefined {
  const month = word === undefined ? -1 : monthNames.indexOf(word.slice(0, 3).toLowerCase());
  return word === undefined || month < 0 ? undefined : { value: String(month + 1), length: word.length };
}

const toPart = (text: string | undefined): DatePart | undefined => (text === undefined ? undefined : { value: text, length: text.length });
