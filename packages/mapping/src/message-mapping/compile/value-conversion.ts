// Processes the value of a rule's source: default, type, scale, format, and checks.
import { compilePattern, isPlainObject } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { formatValue, unknownProperties } from "../../problem.ts";
import { characterCount } from "../../text/characters.ts";
import { checkParsable, formatTime, compileDatePattern, parseTime, parseWritten } from "../date-patterns.ts";
import { toTimeOfDay, toDay, toTime, timeOfDayMs, writtenTime } from "../date-values.ts";
import { dateFormatSchema, valueTypes } from "../document-schema.ts";
import type { MappingRun } from "../frame.ts";
import { MappingFault } from "../mapping-fault.ts";
import { compileNumberPattern, formatNumber } from "../number-format.ts";
import { areEqual, deepCopy, isNothing, roundTo, scalarOf, toNumber, toText } from "../values.ts";
import type { DocumentContext } from "./document-context.ts";

type Step = (value: unknown) => unknown;
export type ValueConversion = (value: unknown, run: MappingRun) => unknown;
export type RuleMembers = Readonly<Record<string, unknown>>;

type TypeName = (typeof valueTypes)[number];

/** The steps between source and target; undefined when a rule has none. Null and undefined are not converted. */
export function compileValueConversion(rule: RuleMembers, context: DocumentContext, isList: boolean): ValueConversion | undefined {
  const steps: Step[] = [];
  const type = readType(rule, context);
  if (type !== undefined) steps.push(conversionTo(type, formatOf(rule, context)));
  if (rule["scale"] !== undefined) steps.push(compileScale(rule["scale"], context));
  if (rule["format"] !== undefined && !isDateType(type)) steps.push(compileFormat(rule["format"], context));
  steps.push(...compileChecks(rule, context));
  const convert =
    steps.length === 0
      ? undefined
      : steps.length === 1
        ? steps[0]
        : (value: unknown) => steps.reduce((result, step) => (isNothing(result) ? result : step(result)), value);
  // Empty text is neither a number nor a date, so a default replaces it.
  const emptyIsNothing = (type !== undefined && type !== "string") || rule["scale"] !== undefined || rule["format"] !== undefined;
  const fallback = rule["default"];
  const isRequired = rule["required"] === true && !isList;
  if (rule["required"] !== undefined && typeof rule["required"] !== "boolean") context.report("'required' must be true or false");
  if (convert === undefined && fallback === undefined && !isRequired) return undefined;
  return (input, run) => {
    let value = emptyIsNothing && scalarOf(input) === "" ? null : input;
    if (isNothing(value)) {
      if (fallback !== undefined) return deepCopy(fallback, run);
      if (isRequired) throw new MappingFault("required", "a value is required, but the source has none");
      return value;
    }
    if (convert !== undefined) value = convert(value);
    if (isRequired && (isNothing(value) || value === "")) throw new MappingFault("required", "a value is required, but the source has none");
    return value;
  };
}

function readType(rule: RuleMembers, context: DocumentContext): TypeName | undefined {
  const { type } = rule;
  if (type === undefined || (valueTypes as readonly unknown[]).includes(type)) return type as TypeName | undefined;
  context.report(`'type' must be one of ${valueTypes.join(", ")}, got ${formatValue(type)}`);
  return undefined;
}

const isDateType = (type: TypeName | undefined): boolean => type === "date" || type === "dateTime" || type === "time";

interface DatePatterns {
  readonly in: string | undefined;
  readonly out: string | undefined;
}

/** `format` of dates: a pattern for the target, or `{in, out}` for both sides. */
function formatOf({ type, format }: RuleMembers, context: DocumentContext): DatePatterns {
  if (format === undefined || !isDateType(type as TypeName)) return { in: undefined, out: undefined };
  const patterns: RuleMembers = isPlainObject(format) ? format : { out: format };
  for (const fault of unknownProperties(patterns, memberNames(dateFormatSchema))) context.report(`'format': ${fault}`);
  const pattern = (name: "in" | "out", check: (pattern: string) => unknown): string | undefined => {
    const text = patterns[name];
    if (text === undefined) return undefined;
    try {
      if (typeof text !== "string") throw new MappingFault("expression", "'format' of a date must be a pattern such as yyyy-MM-dd, or {in, out}");
      check(text);
      return text;
    } catch (error) {
      context.report((error as Error).message);
      return undefined;
    }
  };
  return { in: pattern("in", checkParsable), out: pattern("out", compileDatePattern) };
}

function conversionTo(type: TypeName, patterns: DatePatterns): Step {
  switch (type) {
    case "string":
      return toText;
    case "integer":
      return toInteger;
    case "number":
      return toNumber;
    case "boolean":
      return toBoolean;
    default:
      return dateConversion(type, patterns);
  }
}

interface DateKind {
  readonly timeOf: (value: unknown) => number;
  readonly parse: (text: string, pattern: string) => number;
  readonly write: (value: unknown) => string;
}

/** A date and time is an instant; a date or a time alone is used as written in the source. */
const dateKinds: Readonly<Record<"date" | "dateTime" | "time", DateKind>> = {
  date: { timeOf: writtenTime, parse: parseWritten, write: toDay },
  time: { timeOf: timeOfDayMs, parse: parseWritten, write: toTimeOfDay },
  dateTime: {
    timeOf: (value) => toTime(value, "a date and time"),
    parse: parseTime,
    write: (value) => new Date(toTime(value, "a date and time")).toISOString(),
  },
};

function dateConversion(type: keyof typeof dateKinds, patterns: DatePatterns): Step {
  const { timeOf, parse, write } = dateKinds[type];
  const { in: source, out } = patterns;
  if (source === undefined) return out === undefined ? write : (value) => formatTime(timeOf(value), out);
  return (value) => {
    const time = parse(toText(value), source);
    return out === undefined ? write(new Date(time)) : formatTime(time, out);
  };
}

function toInteger(input: unknown): number | bigint {
  const value = scalarOf(input);
  if (typeof value === "bigint") return value;
  const number = typeof value === "number" ? value : typeof value === "string" && /^\s*[+-]?\d+(?:\.0*)?\s*$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new MappingFault("type", `expected integer, got ${formatValue(value)}`, input);
  return number;
}

function toBoolean(input: unknown): boolean {
  const value = scalarOf(input);
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (word === "true" || word === "yes" || word === "y" || word === "x" || word === "1" || word === 1) return true;
  if (word === "false" || word === "no" || word === "n" || word === "0" || word === 0) return false;
  throw new MappingFault("type", `expected true or false, got ${formatValue(value)}`, input);
}

function compileScale(scale: unknown, context: DocumentContext): Step {
  if (!Number.isInteger(scale) || (scale as number) < 0 || (scale as number) > 12) context.report("'scale' must be a number of decimals from 0 to 12");
  const digits = Number(scale);
  return (value) => {
    const number = toNumber(value);
    return number === null ? null : roundTo(number, digits);
  };
}

function compileFormat(format: unknown, context: DocumentContext): Step {
  try {
    if (typeof format !== "string") throw new MappingFault("expression", "'format' must be a number pattern such as #,##0.00");
    compileNumberPattern(format);
  } catch (error) {
    context.report((error as Error).message);
  }
  return (value) => {
    const number = toNumber(value);
    return number === null ? null : formatNumber(number, format as string);
  };
}

function compileChecks(rule: RuleMembers, context: DocumentContext): readonly Step[] {
  const steps: Step[] = [];
  const { pattern, maxLength, enum: allowed } = rule;
  if (pattern !== undefined) {
    if (typeof pattern !== "string") context.report("'pattern' must be a string");
    try {
      const compiled = compilePattern(String(pattern));
      steps.push((value) => {
        if (compiled.matches(toText(value))) return value;
        throw new MappingFault("pattern", `${formatValue(value)} does not match the pattern ${String(pattern)}`, value);
      });
    } catch (error) {
      context.report((error as Error).message);
    }
  }
  if (maxLength !== undefined) {
    if (!Number.isInteger(maxLength) || (maxLength as number) < 0) context.report("'maxLength' must be an integer of 0 or more");
    steps.push((value) => {
      const text = toText(value);
      if (text.length <= (maxLength as number) || characterCount(text) <= (maxLength as number)) return value;
      throw new MappingFault("max-length", `${formatValue(value)} is longer than ${String(maxLength)} characters`, value);
    });
  }
  if (allowed !== undefined) {
    if (!Array.isArray(allowed) || allowed.length === 0) context.report("'enum' must be a list of at least one value");
    else
      steps.push((value) => {
        if (allowed.some((candidate) => isAllowed(candidate, value))) return value;
        throw new MappingFault(
          "enum",
          `${formatValue(value)} is not one of ${allowed
            .slice(0, 10)
            .map((candidate) => formatValue(candidate))
            .join(", ")}`,
          value,
        );
      });
  }
  return steps;
}

/** Codes are compared as text: "1" is not "01", although both are the number one. */
function isAllowed(candidate: unknown, input: unknown): boolean {
  const value = scalarOf(input);
  return typeof candidate === "string" && typeof value === "string" ? candidate === value : areEqual(candidate, value);
}
