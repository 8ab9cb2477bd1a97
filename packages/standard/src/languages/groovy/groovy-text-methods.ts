import { asText } from "@sluice/engine/values";
import { base64Decode, base64Encode } from "../simple/functions/base64.ts";
import { Closure } from "./groovy-closure.ts";
import type { Methods } from "./groovy-methods.ts";
import { fault, groovyText, matchesWhole, patternFor } from "./groovy-operators.ts";
import { spendWork } from "./groovy-work.ts";

const text = (value: unknown): string => groovyText(value);
const toInteger = (value: unknown, fallback = 0): number => (value === undefined ? fallback : Math.trunc(Number(value)));

/** Parses an integer, or throws Java's exception. */
export function parseInteger(value: unknown): number {
  const digits = asText(value).trim();
  if (!/^[+-]?\d+$/.test(digits)) throw fault("java.lang.NumberFormatException", `For input string: "${digits}"`);
  return Number(digits);
}

export function parseDecimal(value: unknown): number {
  const digits = asText(value).trim();
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(digits)) throw fault("java.lang.NumberFormatException", `For input string: "${digits}"`);
  return Number(digits);
}

const isDecimal = (value: string): boolean => /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value.trim());

/** Java's replacement syntax: `$1` is a group, a backslash escapes. */
function replaceMatches(subject: string, pattern: unknown, replacement: unknown, all: boolean): string {
  let result = "";
  let at = 0;
  for (const found of patternFor(subject, pattern).all(subject)) {
    const groups = found.groups.map((group) => group?.text ?? "");
    const inserted =
      replacement instanceof Closure
        ? text(replacement.call(subject.slice(found.start, found.end), ...groups))
        : text(replacement).replaceAll(/\\(.)|\$(\d)/g, (_all, escaped: string | undefined, group: string | undefined) =>
            group === undefined ? (escaped as string) : group === "0" ? subject.slice(found.start, found.end) : (groups[Number(group) - 1] ?? ""),
          );
    result += subject.slice(at, found.start) + inserted;
    at = found.end;
    if (!all) break;
  }
  return result + subject.slice(at);
}

/** Splits a string. Each part is a new string, so every character may cost as much as an item. */
function partsOf(subject: string, split: (subject: string) => readonly string[]): readonly string[] {
  spendWork(subject.length / 2);
  return split(subject);
}

const literal = /^[^\\^$.*+?()[\]{}|]+$/;

function splitBy(subject: string, pattern: unknown): readonly string[] {
  const separator = text(pattern);
  const parts = literal.test(separator) ? [...partsOf(subject, (all) => all.split(separator))] : splitByPattern(subject, separator);
  while (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts;
}

function splitByPattern(subject: string, pattern: string): string[] {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of patternFor(subject, pattern).all(subject)) {
    if (end === 0) continue;
    parts.push(subject.slice(at, start));
    at = end;
  }
  parts.push(subject.slice(at));
  return parts;
}

function pad(subject: string, length: unknown, filler: unknown, side: "left" | "right"): string {
  const width = toInteger(length);
  if (width > 1_000_000) throw fault("java.lang.IllegalArgumentException", "groovy: text may be padded to at most 1,000,000 characters");
  return side === "left"
    ? subject.padStart(width, filler === undefined ? " " : text(filler))
    : subject.padEnd(width, filler === undefined ? " " : text(filler));
}

function substring(subject: string, from: unknown, to: unknown): string {
  const [start, end] = [toInteger(from), toInteger(to, subject.length)];
  if (start < 0 || end > subject.length || start > end)
    throw fault("java.lang.StringIndexOutOfBoundsException", `begin ${start}, end ${end}, length ${subject.length}`);
  return subject.slice(start, end);
}

const linesOf = (subject: string): readonly string[] => subject.split(/\r\n|\n|\r/);

const capitalize = (subject: string): string => subject.charAt(0).toUpperCase() + subject.slice(1);

export const textMethods: Methods<string> = {
  length: (subject) => subject.length,
  size: (subject) => subject.length,
  isEmpty: (subject) => subject === "",
  isBlank: (subject) => subject.trim() === "",
  toUpperCase: (subject) => subject.toUpperCase(),
  toLowerCase: (subject) => subject.toLowerCase(),
  trim: (subject) => subject.trim(),
  strip: (subject) => subject.trim(),
  capitalize: (subject) => capitalize(subject),
  uncapitalize: (subject) => subject.charAt(0).toLowerCase() + subject.slice(1),
  reverse: (subject) =>
    partsOf(subject, (all) => [...all])
      .toReversed()
      .join(""),
  concat: (subject, [other]) => subject + text(other),
  contains: (subject, [other]) => subject.includes(text(other)),
  startsWith: (subject, [other]) => subject.startsWith(text(other)),
  endsWith: (subject, [other]) => subject.endsWith(text(other)),
  indexOf: (subject, [other, from]) => subject.indexOf(text(other), toInteger(from)),
  lastIndexOf: (subject, [other]) => subject.lastIndexOf(text(other)),
  charAt: (subject, [at]) => substring(subject, at, toInteger(at) + 1),
  substring: (subject, [from, to]) => substring(subject, from, to),
  take: (subject, [count]) => subject.slice(0, toInteger(count)),
  drop: (subject, [count]) => subject.slice(toInteger(count)),
  replace: (subject, [from, to]) => subject.replaceAll(text(from), () => text(to)),
  replaceAll: (subject, [pattern, to]) => replaceMatches(subject, pattern, to, true),
  replaceFirst: (subject, [pattern, to]) => replaceMatches(subject, pattern, to, false),
  matches: (subject, [pattern]) => matchesWhole(subject, pattern),
  split: (subject, [pattern]) =>
    pattern === undefined ? partsOf(subject, (all) => all.split(/\s+/).filter((part) => part !== "")) : splitBy(subject, pattern),
  tokenize: (subject, [separators]) => partsOf(subject, (all) => tokens(all, new Set(separators === undefined ? " \t\n\r\f" : text(separators)))),
  readLines: (subject) => partsOf(subject, linesOf),
  lines: (subject) => partsOf(subject, linesOf),
  toList: (subject) => partsOf(subject, (all) => [...all]),
  padLeft: (subject, [length, filler]) => pad(subject, length, filler, "left"),
  padRight: (subject, [length, filler]) => pad(subject, length, filler, "right"),
  center: (subject, [length]) => pad(pad(subject, Math.floor((toInteger(length) + subject.length) / 2), undefined, "left"), length, undefined, "right"),
  repeat: (subject, [count]) => pad("", subject.length * toInteger(count), subject, "left"),
  equalsIgnoreCase: (subject, [other]) => typeof other === "string" && subject.toLowerCase() === other.toLowerCase(),
  compareTo: (subject, [other]) => (subject < text(other) ? -1 : subject > text(other) ? 1 : 0),
  isNumber: (subject) => isDecimal(subject),
  isInteger: (subject) => /^[+-]?\d+$/.test(subject.trim()),
  toInteger: (subject) => parseInteger(subject),
  toLong: (subject) => parseInteger(subject),
  toDouble: (subject) => parseDecimal(subject),
  toFloat: (subject) => parseDecimal(subject),
  toBigDecimal: (subject) => parseDecimal(subject),
  toBoolean: (subject) => /^(?:true|y|1)$/i.test(subject.trim()),
  getBytes: (subject) => new TextEncoder().encode(subject),
  decodeBase64: (subject) => decodeBase64Text(subject),
  encodeBase64: (subject) => base64Encode(new TextEncoder().encode(subject)),
  formatted: (subject, parameters) => javaFormat(subject, parameters),
};

/** The parts between any of these characters, without empty ones. */
function tokens(subject: string, separators: ReadonlySet<string>): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at <= subject.length; at++) {
    if (at < subject.length && !separators.has(subject.charAt(at))) continue;
    if (at > from) parts.push(subject.slice(from, at));
    from = at + 1;
  }
  return parts;
}

function decodeBase64Text(subject: string): Uint8Array {
  const bytes = base64Decode(subject);
  if (bytes === undefined) throw fault("java.lang.IllegalArgumentException", "the text is not valid Base64");
  return bytes;
}

/** The subset of Java's `String.format` that flows use: `%s`, `%d`, `%x` and `%f` with flags, width and precision, `%n` and `%%`. */
export function javaFormat(pattern: string, parameters: readonly unknown[]): string {
  let index = 0;
  return pattern.replaceAll(
    /%(?:(\d+)\$)?([-0,+]*)(\d{1,4})?(?:\.(\d{1,3}))?([sdfn%x])/g,
    (_all, position: string | undefined, flags: string, width: string | undefined, precision: string | undefined, kind: string) => {
      if (kind === "%" || kind === "n") return kind === "n" ? "\n" : "%";
      const value = parameters[position === undefined ? index++ : Number(position) - 1];
      const body = formatValue(value, kind, precision, flags);
      const size = Number(width ?? 0);
      if (flags.includes("-")) return body.padEnd(size);
      return flags.includes("0") && kind !== "s"
        ? body.replace(/^([+-]?)(.*)$/s, (_match, sign: string, digits: string) => sign + digits.padStart(size - sign.length, "0"))
        : body.padStart(size);
    },
  );
}

function formatValue(value: unknown, kind: string, precision: string | undefined, flags: string): string {
  if (kind === "s") return precision === undefined ? text(value) : text(value).slice(0, Number(precision));
  if (typeof value !== "number" && typeof value !== "bigint") throw fault("java.util.IllegalFormatConversionException", `%${kind} needs a number`);
  if (kind === "x") return value.toString(16);
  const digits = kind === "d" ? String(value) : Number(value).toFixed(Number(precision ?? 6));
  const grouped = flags.includes(",")
    ? digits.replace(/^(-?)(\d+)/, (_all, sign: string, front: string) => sign + front.replaceAll(/\B(?=(?:\d{3})+$)/g, ","))
    : digits;
  return flags.includes("+") && Number(value) >= 0 ? `+${grouped}` : grouped;
}
