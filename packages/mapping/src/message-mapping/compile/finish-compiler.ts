// What a rule does with the value its source gave: default, type, scale, format, and the checks.
import { compilePattern, parseIsoDate, zoneOf } from "@sluice/engine/spi";
import { shown } from "../../problem.ts";
import { formatTime, parseTime, toDay, toTime } from "../date-values.ts";
import type { Run } from "../frame.ts";
import { MappingFault } from "../mapping-fault.ts";
import { compileNumberPattern, formatNumber } from "../number-format.ts";
import { areEqual, detached, isNothing, roundTo, scalarOf, toNumber, toText } from "../values.ts";
import type { DocumentContext } from "./document-context.ts";

type Step = (value: unknown) => unknown;
export type Finish = (value: unknown, run: Run) => unknown;
export type RuleMembers = Readonly<Record<string, unknown>>;

const types = ["string", "integer", "number", "boolean", "date", "dateTime", "time"] as const;
type TypeName = (typeof types)[number];
const utc = zoneOf("UTC");

/** The steps between source and target; undefined when a rule asks for none. Nothing (null or undefined) passes unchanged. */
export function compileFinish(rule: RuleMembers, context: DocumentContext, isList: boolean): Finish | undefined {
  const steps: Step[] = [];
  const type = readType(rule, context);
  if (type !== undefined) steps.push(conversionTo(type, formatOf(rule, context)));
  if (rule["scale"] !== undefined) steps.push(scaling(rule["scale"], context));
  if (rule["format"] !== undefined && !isDateType(type)) steps.push(formatting(rule["format"], context));
  steps.push(...checks(rule, context));
  const convert =
    steps.length === 0
      ? undefined
      : steps.length === 1
        ? steps[0]
        : (value: unknown) => steps.reduce((result, step) => (isNothing(result) ? result : step(result)), value);
  const blankIsNothing = type !== undefined && type !== "string";
  const fallback = rule["default"];
  const isRequired = rule["required"] === true && !isList;
  if (rule["required"] !== undefined && typeof rule["required"] !== "boolean") context.report("'required' must be true or false");
  if (convert === undefined && fallback === undefined && !isRequired) return undefined;
  return (given, run) => {
    let value = blankIsNothing && scalarOf(given) === "" ? null : given;
    if (isNothing(value)) {
      if (fallback !== undefined) return detached(fallback, run);
      if (isRequired) throw new MappingFault("required", "a value is required, the source has none");
      return value;
    }
    if (convert !== undefined) value = convert(value);
    if (isRequired && (isNothing(value) || value === "")) throw new MappingFault("required", "a value is required, the source has none");
    return value;
  };
}

function readType(rule: RuleMembers, context: DocumentContext): TypeName | undefined {
  const { type } = rule;
  if (type === undefined || (types as readonly unknown[]).includes(type)) return type as TypeName | undefined;
  context.report(`'type' must be one of ${types.join(", ")}, got ${shown(type)}`);
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
  const given =
    typeof format === "string" ? { out: format } : typeof format === "object" && format !== null ? (format as Readonly<Record<string, unknown>>) : {};
  const patterns = [given["in" as keyof typeof given], given["out" as keyof typeof given]] as unknown[];
  for (const pattern of patterns) {
    if (pattern === undefined) continue;
    try {
      formatTime(0, String(pattern));
    } catch (error) {
      context.report((error as Error).message);
      return { in: undefined, out: undefined };
    }
  }
  if (patterns.every((pattern) => typeof pattern !== "string")) context.report("'format' of a date must be a pattern such as yyyy-MM-dd, or {in, out}");
  return { in: patterns[0] as string | undefined, out: patterns[1] as string | undefined };
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
    default: {
      const read = patterns.in === undefined ? undefined : (value: unknown): unknown => new Date(parseTime(toText(value), patterns.in as string)).toISOString();
      const { out } = patterns;
      const write = out === undefined ? isoWriter(type) : (value: unknown): unknown => formatTime(toTime(value), out);
      return read === undefined ? write : (value) => write(read(value));
    }
  }
}

function isoWriter(type: "date" | "dateTime" | "time"): Step {
  if (type === "date") return (value) => toDay(scalarOf(value));
  if (type === "dateTime") return (value) => new Date(toTime(value, "a date and time")).toISOString();
  return (given) => {
    const value = scalarOf(given);
    const isClock = typeof value === "string" && parseIsoDate(`2000-01-01T${value}`, utc) !== undefined;
    return isClock ? value : new Date(toTime(value, "a time")).toISOString().slice(11, 19);
  };
}

function toInteger(given: unknown): number {
  const value = scalarOf(given);
  const number = typeof value === "number" ? value : typeof value === "string" && /^\s*[+-]?\d+(?:\.0*)?\s*$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new MappingFault("type", `expected integer, got ${shown(value)}`, given);
  return number;
}

function toBoolean(given: unknown): boolean {
  const value = scalarOf(given);
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (word === "true" || word === "yes" || word === "y" || word === "x" || word === "1" || word === 1) return true;
  if (word === "false" || word === "no" || word === "n" || word === "0" || word === 0) return false;
  throw new MappingFault("type", `expected true or false, got ${shown(value)}`, given);
}

function scaling(scale: unknown, context: DocumentContext): Step {
  if (!Number.isInteger(scale) || (scale as number) < 0 || (scale as number) > 12) context.report("'scale' must be a number of decimals from 0 to 12");
  const digits = Number(scale);
  return (value) => {
    const number = toNumber(value);
    return number === null ? null : roundTo(number, digits);
  };
}

function formatting(format: unknown, context: DocumentContext): Step {
  try {
    if (typeof format !== "string") throw new MappingFault("expression", "'format' must be a pattern");
    compileNumberPattern(format);
  } catch (error) {
    context.report((error as Error).message);
  }
  return (value) => {
    const number = toNumber(value);
    return number === null ? null : formatNumber(number, format as string);
  };
}

function checks(rule: RuleMembers, context: DocumentContext): readonly Step[] {
  const steps: Step[] = [];
  const { pattern, maxLength, enum: allowed } = rule;
  if (pattern !== undefined) {
    if (typeof pattern !== "string") context.report("'pattern' must be a text");
    try {
      const compiled = compilePattern(String(pattern));
      steps.push((value) => {
        if (compiled.matches(toText(value))) return value;
        throw new MappingFault("pattern", `${shown(value)} does not match the pattern ${String(pattern)}`, value);
      });
    } catch (error) {
      context.report((error as Error).message);
    }
  }
  if (maxLength !== undefined) {
    if (!Number.isInteger(maxLength) || (maxLength as number) < 0) context.report("'maxLength' must be a whole number");
    steps.push((value) => {
      const text = toText(value);
      if (text.length <= (maxLength as number) || [...text].length <= (maxLength as number)) return value;
      throw new MappingFault("max-length", `${shown(value)} is longer than ${String(maxLength)} characters`, value);
    });
  }
  if (allowed !== undefined) {
    if (!Array.isArray(allowed) || allowed.length === 0) context.report("'enum' must be a list of values");
    else
      steps.push((value) => {
        if (allowed.some((candidate) => areEqual(candidate, value))) return value;
        throw new MappingFault(
          "enum",
          `${shown(value)} is none of ${allowed
            .slice(0, 10)
            .map((candidate) => shown(candidate))
            .join(", ")}`,
          value,
        );
      });
  }
  return steps;
}
