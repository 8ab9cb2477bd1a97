// Dispatches method calls by the type of the receiver, then by name.
import { asText, compileDateFormat, decodeText, zoneOf } from "@sluice/engine/values";
import { base64Encode } from "../simple/functions/base64.ts";
import { listMethods, mapMethods } from "./groovy-collection-methods.ts";
import { Closure } from "./groovy-closure.ts";
import { exchangeMethods, ExchangeView, headersMethods, HeadersView, messageMethods, MessageView } from "./groovy-exchange.ts";
import { isMap } from "./groovy-maps.ts";
import { compare, divide, equal, fault, groovyText, typeName } from "./groovy-operators.ts";
import { parseDecimal, parseInteger, textMethods } from "./groovy-text-methods.ts";
import { spendWork, workOf } from "./groovy-work.ts";

export type Methods<T> = Readonly<Record<string, (receiver: T, parameters: readonly unknown[]) => unknown>>;

const roundTo = (value: number, digits: unknown): number => Number(value.toFixed(Math.min(20, Math.max(0, Math.trunc(Number(digits ?? 0))))));

const numberMethods: Methods<number | bigint> = {
  intValue: (value) => Math.trunc(Number(value)),
  longValue: (value) => Math.trunc(Number(value)),
  doubleValue: (value) => Number(value),
  floatValue: (value) => Number(value),
  toInteger: (value) => Math.trunc(Number(value)),
  toLong: (value) => Math.trunc(Number(value)),
  toDouble: (value) => Number(value),
  toBigDecimal: (value) => value,
  abs: (value) => (value < 0 ? -value : value),
  round: (value, [digits]) => (digits === undefined ? Math.floor(Number(value) + 0.5) : roundTo(Number(value), digits)),
  setScale: (value, [digits]) => roundTo(Number(value), digits),
  intdiv: (value, [other]) => Math.trunc(Number(divide(value, other))),
  compareTo: (value, [other]) => compare(value, other),
  times: (value, [by]) => {
    for (let index = 0; index < Number(value); index++) (by as Closure).call(index);
    return null;
  },
};

const dateMethods: Methods<Date> = {
  getTime: (value) => value.getTime(),
  format: (value, [pattern]) => compileDateFormat(groovyText(pattern))(value.getTime(), zoneOf("UTC")),
  before: (value, [other]) => value.getTime() < (other as Date).getTime(),
  after: (value, [other]) => value.getTime() > (other as Date).getTime(),
};

const bytesMethods: Methods<Uint8Array> = {
  encodeBase64: (bytes) => base64Encode(bytes),
  size: (bytes) => bytes.length,
};

/** Methods of every value. */
const anyMethods: Methods<unknown> = {
  toString: (value: unknown) => groovyText(value),
  equals: (value, [other]) => equal(value, other),
  with: (value, [by]) => (by as Closure).call(value),
  asType: (value) => value,
  is: (value, [other]) => value === other,
};

const tables = [textMethods, listMethods, mapMethods, numberMethods, dateMethods, bytesMethods, exchangeMethods, messageMethods, anyMethods];
const knownMethods = new Set(tables.flatMap((methods) => Object.keys(methods)));

/** True when any type has a method of this name, so that unknown methods are rejected at deploy time. */
export const isKnownMethod = (name: string): boolean => knownMethods.has(name) || name === "call" || /^get[A-Z]/.test(name);

function methodsOf(receiver: unknown): Methods<never> {
  if (typeof receiver === "string") return textMethods;
  if (Array.isArray(receiver)) return listMethods;
  if (typeof receiver === "number" || typeof receiver === "bigint") return numberMethods;
  if (receiver instanceof ExchangeView) return exchangeMethods;
  if (receiver instanceof MessageView) return messageMethods;
  if (receiver instanceof Date) return dateMethods;
  if (receiver instanceof Uint8Array) return bytesMethods;
  return isMap(receiver) ? mapMethods : {};
}

/** Methods that do not iterate over their receiver. */
const constantTime = new Set(["size", "length", "isEmpty", "get", "getAt", "getOrDefault", "first", "head", "last", "charAt", "substring", "startsWith", "is"]);

export function callMethod(target: unknown, name: string, parameters: readonly unknown[]): unknown {
  if (target instanceof HeadersView && Object.hasOwn(headersMethods, name)) {
    spendWork(1);
    return invoke(headersMethods, name, target, parameters);
  }
  const receiver = target instanceof HeadersView ? target.toObject() : target;
  if (receiver === null || receiver === undefined) throw fault("java.lang.NullPointerException", `Cannot invoke method ${name}() on null object`);
  if (receiver instanceof Closure && name === "call") return receiver.call(...parameters);
  spendWork(constantTime.has(name) ? 1 : workOf(receiver));
  const methods = methodsOf(receiver) as Methods<unknown>;
  if (Object.hasOwn(methods, name)) return invoke(methods, name, receiver, parameters);
  if (Object.hasOwn(anyMethods, name)) return invoke(anyMethods, name, receiver, parameters);
  // Text received as bytes has the methods of text.
  if (receiver instanceof Uint8Array && Object.hasOwn(textMethods, name)) return invoke(textMethods, name, decodeText(receiver), parameters);
  const property = /^get([A-Z])(.*)$/.exec(name);
  if (property !== null && parameters.length === 0 && isMap(receiver))
    return mapMethods["get"]?.(receiver, [`${(property[1] as string).toLowerCase()}${property[2]}`]);
  throw fault("groovy.lang.MissingMethodException", `groovy: ${typeName(receiver)} has no method '${name}'`);
}

/** Methods do not check the types of their arguments: an argument of a wrong type results in a TypeError. */
function invoke<T>(methods: Methods<T>, name: string, receiver: T, parameters: readonly unknown[]): unknown {
  try {
    return methods[name]?.(receiver, parameters);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const types = parameters.map(typeName).join(", ");
    throw fault("groovy.lang.MissingMethodException", `groovy: ${typeName(receiver)} has no method '${name}(${types})'`);
  }
}

/** `value as Type`. */
export function castTo(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  switch (type.slice(type.lastIndexOf(".") + 1)) {
    case "String":
      return value instanceof Uint8Array ? decodeText(value) : groovyText(value);
    case "int":
    case "Integer":
    case "long":
    case "Long":
    case "BigInteger":
      return typeof value === "number" ? Math.trunc(value) : parseInteger(value);
    case "double":
    case "Double":
    case "float":
    case "Float":
    case "BigDecimal":
      return typeof value === "number" ? value : parseDecimal(value);
    case "boolean":
    case "Boolean":
      return typeof value === "string" ? /^true$/i.test(value) : Boolean(value);
    case "List":
    case "Set":
    case "ArrayList":
      return Array.isArray(value) ? value : [value];
    case "Map":
      return value;
    default:
      throw fault(
        "org.codehaus.groovy.runtime.typehandling.GroovyCastException",
        `groovy cannot convert ${typeName(value)} to ${type}: ${asText(value).slice(0, 40)}`,
      );
  }
}
