// `is` in flows: which Java type a value would have. Numbers are Integer or Long by size and Double when they have decimals.
import { isFlowError } from "../errors/flow-error.ts";
import { inheritanceDistance, isKnownExceptionType } from "../errors/exception-types.ts";
import { isMap } from "./member.ts";

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === "string";
const isInteger: Test = (value) => typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
const isLong: Test = (value) => typeof value === "bigint" || (Number.isInteger(value) && !isInteger(value));
const isDouble: Test = (value) => typeof value === "number" && !Number.isInteger(value);
const isNumber: Test = (value) => typeof value === "number" || typeof value === "bigint";
const isBoolean: Test = (value) => typeof value === "boolean";
const isBytes: Test = (value) => value instanceof Uint8Array;
const isList: Test = (value) => Array.isArray(value);
const never: Test = () => false;
const anything: Test = (value) => value !== null && value !== undefined;

const shortNames: Readonly<Record<string, Test>> = {
  String: isText,
  Boolean: isBoolean,
  boolean: isBoolean,
  Integer: isInteger,
  int: isInteger,
  Long: isLong,
  long: isLong,
  Double: isDouble,
  double: isDouble,
  Short: never,
  short: never,
  Byte: never,
  byte: never,
  Float: never,
  float: never,
  Character: never,
  char: never,
  "byte[]": isBytes,
  "Byte[]": isBytes,
  "String[]": never,
  "Object[]": never,
};

const fullNames: Readonly<Record<string, Test>> = {
  "java.lang.Object": anything,
  "java.lang.Number": isNumber,
  "java.lang.CharSequence": isText,
  "java.lang.Iterable": isList,
  "java.lang.Comparable": (value) => isText(value) || isNumber(value) || isBoolean(value) || value instanceof Date,
  "java.math.BigDecimal": never,
  "java.math.BigInteger": never,
  "java.io.InputStream": isBytes,
  "java.util.List": isList,
  "java.util.ArrayList": isList,
  "java.util.Collection": isList,
  "java.util.Set": (value) => value instanceof Set,
  "java.util.Map": isMap,
  "java.util.HashMap": isMap,
  "java.util.LinkedHashMap": isMap,
  "java.util.Date": (value) => value instanceof Date,
};

/** A test for values of the named type; undefined for an unknown type. Null is an instance of nothing. */
export function findTypeTest(typeName: string): Test | undefined {
  const name = typeName.trim();
  const short = name.startsWith("java.lang.") ? name.slice(10) : name;
  if (Object.hasOwn(shortNames, short)) return shortNames[short];
  if (Object.hasOwn(fullNames, name)) return fullNames[name];
  if (isKnownExceptionType(name)) return (value) => isFlowError(value) && inheritanceDistance(value.type, name) !== undefined;
  return undefined;
}

/** The Java class a value would have; null for null. */
export function javaTypeOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return "java.lang.String";
  if (typeof value === "boolean") return "java.lang.Boolean";
  if (typeof value === "number" || typeof value === "bigint") return `java.lang.${isInteger(value) ? "Integer" : isLong(value) ? "Long" : "Double"}`;
  if (value instanceof Uint8Array) return "byte[]";
  if (Array.isArray(value)) return "java.util.ArrayList";
  if (value instanceof Date) return "java.util.Date";
  if (isFlowError(value)) return value.type;
  return isMap(value) ? "java.util.LinkedHashMap" : "java.lang.Object";
}
