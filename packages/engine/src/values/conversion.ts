// Conversions between types, which flows request by Java type names (`bodyAs(Integer)`). Names are only data: no class is loaded, and only the
// names below exist.
import { FlowError, isFlowError } from "../errors/flow-error.ts";
import { parseIsoDate } from "./calendar.ts";
import { iterate } from "./iteration.ts";
import { parsePlainJson } from "./json-text.ts";
import { jsonView, partOfJson } from "./json-view.ts";
import { canWriteInParts } from "./json-writer.ts";
import { isMap } from "./member.ts";
import { toPlain } from "./plain-value.ts";
import { asText } from "./text.ts";

const encoder = new TextEncoder();

/** Converts a value to the type; null stays null. Throws a FlowError when that is not possible. */
export type Conversion = (value: unknown) => unknown;

const integerConversion =
  (type: string, min: number, max: number): Conversion =>
  (value) => {
    const number =
      typeof value === "number" || typeof value === "bigint" ? Number(value) : value instanceof Date ? value.getTime() : readText(value, type, /^[+-]?\d+$/);
    const result = Math.trunc(number);
    if (!(result >= min && result <= max)) throw conversionError(value, type, rangeProblem(number, min, max));
    return result + 0;
  };

/** Why an integer is rejected. The limits of Long and BigInteger are those of exact integers, not those of the Java types. */
function rangeProblem(number: number, min: number, max: number): string | undefined {
  if (max < Number.MAX_SAFE_INTEGER) return `it is not between ${min} and ${max}`;
  return Math.abs(number) > Number.MAX_SAFE_INTEGER ? "it cannot be represented exactly; keep it as text" : undefined;
}

const decimalConversion =
  (type: string): Conversion =>
  (value) =>
    typeof value === "number" || typeof value === "bigint" ? Number(value) : readText(value, type, /^\s*[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$/);

const conversions: Readonly<Record<string, Conversion>> = {
  object: (value) => value,
  string: asText,
  charsequence: asText,
  int: integerConversion("Integer", -(2 ** 31), 2 ** 31 - 1),
  integer: integerConversion("Integer", -(2 ** 31), 2 ** 31 - 1),
  long: integerConversion("Long", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  biginteger: integerConversion("BigInteger", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  short: integerConversion("Short", -(2 ** 15), 2 ** 15 - 1),
  byte: integerConversion("Byte", -(2 ** 7), 2 ** 7 - 1),
  double: decimalConversion("Double"),
  float: decimalConversion("Float"),
  bigdecimal: decimalConversion("BigDecimal"),
  number: decimalConversion("Number"),
  boolean: toBoolean,
  char: toCharacter,
  character: toCharacter,
  "byte[]": toBytes,
  inputstream: toBytes,
  "string[]": (value) => toList(value).map(asText),
  "object[]": toList,
  list: toList,
  arraylist: toList,
  collection: toList,
  iterable: toList,
  iterator: toList,
  set: (value) => [...new Set(toList(value))],
  map: toMap,
  hashmap: toMap,
  linkedhashmap: toMap,
  date: toDate,
  json: toJson,
  jsonnode: toJson,
  jsonobject: (value) => expectJson(toJson(value), value, "JsonObject", isMap),
  jsonarray: (value) => expectJson(toJson(value), value, "JsonArray", Array.isArray),
};

const packages = /^(java\.(lang|util|math|io)\.|org\.apache\.camel\.util\.json\.|com\.fasterxml\.jackson\.databind\.)/;

/** The conversion to a named type (`int`, `String`, `java.util.List`, …); undefined for an unknown type. */
export function findConversion(typeName: string): Conversion | undefined {
  const name = typeName.trim().replace(/\.class$/, "");
  const short = name.replace(packages, "");
  // `string` is not a Java type; only primitive names are lower case.
  if (short !== name || /^(int|long|short|byte|float|double|boolean|char)(\[\])?$/.test(short) || /^[A-Z]/.test(short)) {
    const key = short.toLowerCase();
    if (Object.hasOwn(conversions, key)) {
      const convert = conversions[key] as Conversion;
      return (value) => (value === null || value === undefined ? null : convert(value));
    }
  }
  return undefined;
}

/** The failure of a conversion. */
export function conversionError(value: unknown, type: string, reason?: string, cause?: FlowError): FlowError {
  // Writing all of a large value for its first characters would block the event loop.
  const text = asText(canWriteInParts(value) ? toPlain(value, 1_000) : value);
  const shortened = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new FlowError("org.apache.camel.TypeConversionException", `cannot convert '${shortened}' to ${type}${reason === undefined ? "" : `: ${reason}`}`, {
    code: "conversion-failed",
    cause,
  });
}

function readText(value: unknown, type: string, form: RegExp): number {
  const text = typeof value === "string" || value instanceof Uint8Array ? asText(value) : undefined;
  if (text === undefined) throw conversionError(value, type);
  // Flows may name the cause in onException, so text that is not a number fails with Java's exception type.
  if (!form.test(text))
    throw conversionError(value, type, undefined, new FlowError("java.lang.NumberFormatException", `'${text.slice(0, 60)}' is not a number`));
  return Number(text);
}

function toBoolean(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value > 0;
  const text = asText(value).toLowerCase();
  if (text !== "true" && text !== "false") throw conversionError(value, "Boolean", "expected true or false");
  return text === "true";
}

function toCharacter(value: unknown): string {
  const text = asText(value);
  if (text.length !== 1) throw conversionError(value, "Character");
  return text;
}

function toBytes(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : encoder.encode(asText(value));
}

function toList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const source = typeof value === "string" || value instanceof Uint8Array ? jsonView(value) : undefined;
  if (Array.isArray(source)) return partOfJson(source, value) as unknown[];
  return typeof value === "string" || value instanceof Uint8Array ? [value] : [...iterate(value)];
}

function toMap(value: unknown): unknown {
  if (isMap(value)) return value;
  const source = typeof value === "string" || value instanceof Uint8Array ? jsonView(value) : undefined;
  if (isMap(source)) return partOfJson(source, value);
  throw conversionError(value, "Map");
}

function toDate(value: unknown): Date {
  if (value instanceof Date) return value;
  const time = typeof value === "number" ? value : parseIsoDate(asText(value));
  if (time === undefined || Number.isNaN(new Date(time).getTime())) throw conversionError(value, "Date", "write it as ISO 8601 or milliseconds since 1970");
  return new Date(time);
}

function toJson(value: unknown): unknown {
  if (typeof value !== "string" && !(value instanceof Uint8Array)) return value;
  try {
    return parsePlainJson(asText(value));
  } catch (cause) {
    if (isFlowError(cause)) throw cause;
    throw new FlowError(
      "org.apache.camel.TypeConversionException",
      `cannot convert the text to JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        code: "conversion-failed",
        cause,
      },
    );
  }
}

function expectJson(json: unknown, value: unknown, type: string, accepts: (json: unknown) => boolean): unknown {
  if (!accepts(json)) throw conversionError(value, type);
  return json;
}
