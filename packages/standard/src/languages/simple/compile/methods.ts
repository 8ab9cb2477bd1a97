// The properties and methods that a path may use: a fixed list per type of value, with Java's names.
import { FlowError, isFlowError } from "@sluice/engine/spi";
import {
  asText,
  boundedText,
  checkTextLength,
  compilePattern,
  entryOf,
  hasEntry,
  isMap,
  javaTypeOf,
  jsonView,
  sizeOfMap,
  strictEquals,
} from "@sluice/engine/values";

type Method<T> = (value: T, parameters: readonly unknown[]) => unknown;
type Methods<T> = Readonly<Record<string, Method<T>>>;

const toInteger = (value: unknown): number => (typeof value === "number" ? Math.trunc(value) : Math.trunc(Number(asText(value))));

const textMethods: Methods<string> = {
  length: (text) => text.length,
  isEmpty: (text) => text === "",
  isBlank: (text) => text.trim() === "",
  toUpperCase: (text) => text.toUpperCase(),
  toLowerCase: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
  strip: (text) => text.trim(),
  stripLeading: (text) => text.trimStart(),
  stripTrailing: (text) => text.trimEnd(),
  intern: (text) => text,
  substring: (text, [from, to]) => substring(text, toInteger(from), to === undefined ? text.length : toInteger(to)),
  charAt: (text, [at]) => substring(text, toInteger(at), toInteger(at) + 1),
  indexOf: (text, [part, from]) => text.indexOf(asText(part), from === undefined ? 0 : toInteger(from)),
  lastIndexOf: (text, [part]) => text.lastIndexOf(asText(part)),
  startsWith: (text, [part]) => text.startsWith(asText(part)),
  endsWith: (text, [part]) => text.endsWith(asText(part)),
  contains: (text, [part]) => text.includes(asText(part)),
  concat: (text, [more]) => boundedText(text + asText(more)),
  replace: (text, [from, to]) => replaceAll(text, asText(from), asText(to)),
  replaceAll: (text, [pattern, to]) => boundedText(compilePattern(asText(pattern)).replaceAll(text, asText(to))),
  replaceFirst: (text, [pattern, to]) => boundedText(compilePattern(asText(pattern)).replaceFirst(text, asText(to))),
  matches: (text, [pattern]) => compilePattern(asText(pattern)).matches(text),
  split: (text, [pattern]) => compilePattern(asText(pattern)).split(text),
  equalsIgnoreCase: (text, [other]) => text.toLowerCase() === asText(other).toLowerCase(),
  compareTo: (text, [other]) => javaCompare(text, asText(other)),
  repeat: (text, [times]) => {
    const count = toInteger(times);
    if (!(count >= 0 && count < Infinity))
      throw new FlowError("java.lang.IllegalArgumentException", `repeat needs a count of 0 or more, got '${asText(times)}'`, { code: "simple-argument" });
    checkTextLength(text.length * count);
    return text.repeat(count);
  },
};

const listMethods: Methods<readonly unknown[]> = {
  size: (list) => list.length,
  length: (list) => list.length,
  isEmpty: (list) => list.length === 0,
  get: (list, [at]) => element(list, toInteger(at)),
  getFirst: (list) => element(list, 0),
  getLast: (list) => element(list, list.length - 1),
  first: (list) => element(list, 0),
  last: (list) => element(list, list.length - 1),
  contains: (list, [item]) => list.some((candidate) => strictEquals(candidate, item)),
  indexOf: (list, [item]) => list.findIndex((candidate) => strictEquals(candidate, item)),
  subList: (list, [from, to]) => list.slice(toInteger(from), toInteger(to)),
};

const mapMethods: Methods<Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown>> = {
  size: sizeOfMap,
  isEmpty: (map) => sizeOfMap(map) === 0,
  get: (map, [key]) => entryOf(map, asText(key)) ?? null,
  getOrDefault: (map, [key, otherwise]) => (hasEntry(map, asText(key)) ? entryOf(map, asText(key)) : otherwise),
  containsKey: (map, [key]) => hasEntry(map, asText(key)),
  containsValue: (map, [item]) => (map instanceof Map ? [...map.values()] : Object.values(map)).some((candidate) => strictEquals(candidate, item)),
  keys: (map) => (map instanceof Map ? [...map.keys()] : Object.keys(map)),
  keySet: (map) => (map instanceof Map ? [...map.keys()] : Object.keys(map)),
  values: (map) => (map instanceof Map ? [...map.values()] : Object.values(map)),
};

const numberMethods: Methods<number> = {
  intValue: (value) => Math.trunc(value),
  longValue: (value) => Math.trunc(value),
  doubleValue: (value) => value,
  compareTo: (value, [other]) => Math.sign(value - Number(other)),
};

const dateMethods: Methods<Date> = { getTime: (date) => date.getTime(), time: (date) => date.getTime() };

const errorMethods: Methods<Error> = {
  message: (error) => error.message,
  getMessage: (error) => error.message,
  localizedMessage: (error) => error.message,
  stackTrace: stackOf,
  stacktrace: stackOf,
  cause: (error) => error.cause ?? null,
  getCause: (error) => error.cause ?? null,
  code: (error) => (isFlowError(error) ? error.code : null),
  type: (error) => javaTypeOf(error),
};

/** The minimum number of parameters of a method; 0 if not listed. */
const minParameters: ReadonlyMap<string, number> = new Map([
  ...["substring", "charAt", "indexOf", "lastIndexOf", "startsWith", "endsWith", "contains", "concat", "matches", "split", "repeat"].map(withOneParameter),
  ...["equals", "equalsIgnoreCase", "compareTo", "get", "containsKey", "containsValue"].map(withOneParameter),
  ...["replace", "replaceAll", "replaceFirst", "subList", "getOrDefault"].map((name) => [name, 2] as const),
]);

const anyMethods: Methods<unknown> = {
  toString: (value: unknown) => asText(value),
  equals: (value, [other]) => strictEquals(value, other),
  class: classOf,
  getClass: classOf,
};

/** The value of `.name` without parentheses: an entry of a map, or one of the listed properties. */
export function readProperty(value: unknown, name: string): unknown {
  if (isMap(value)) return readField(value, name);
  const method = findMethod(value, name, 0) ?? findMethod(value, getterOf("get", name), 0) ?? findMethod(value, getterOf("is", name), 0);
  if (method !== undefined) return method(value, []);
  const view = typeof value === "string" ? jsonView(value) : undefined;
  if (view !== undefined) return readProperty(view, name);
  if (isFlowError(value) && value.details !== undefined && Object.hasOwn(value.details, name)) return value.details[name];
  throw unknownMember(value, `property '${name}'`);
}

/** The method that `.name(…)` calls; `getName()` reads the field `name` of a map. */
export function callMethod(value: unknown, name: string, parameters: readonly unknown[]): unknown {
  const method = findMethod(value, name, parameters.length);
  if (method !== undefined) return method(value, parameters);
  if (parameters.length === 0) {
    if (isMap(value) && /^(get|is)[A-Z]/.test(name)) return readField(value, name);
    if (!isMap(value) && /^get[A-Z]/.test(name)) return readProperty(value, decapitalize(name.slice(3)));
    const view = typeof value === "string" ? jsonView(value) : undefined;
    if (view !== undefined) return callMethod(view, name, parameters);
  }
  const required = minParameters.get(name) ?? 0;
  if (parameters.length < required && findMethod(value, name, required) !== undefined)
    throw new FlowError("org.apache.camel.ExpressionEvaluationException", `${name}() needs at least ${required} argument(s), got ${parameters.length}`, {
      code: "simple-argument",
    });
  throw unknownMember(value, `method '${name}()'`);
}

function readField(map: Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown>, name: string): unknown {
  if (hasEntry(map, name)) return entryOf(map, name);
  if (name === "size" || name === "isEmpty") return (mapMethods[name] as Method<typeof map>)(map, []);
  const bean = /^(?:get|is)([A-Z].*)$/s.exec(name);
  if (bean !== null && hasEntry(map, decapitalize(bean[1] as string))) return entryOf(map, decapitalize(bean[1] as string));
  return null;
}

function findMethod(value: unknown, name: string, parameterCount: number): Method<unknown> | undefined {
  if (parameterCount < (minParameters.get(name) ?? 0)) return undefined;
  const methods = methodsOf(value);
  if (methods !== undefined && Object.hasOwn(methods, name)) return methods[name];
  return Object.hasOwn(anyMethods, name) ? anyMethods[name] : undefined;
}

function methodsOf(value: unknown): Methods<unknown> | undefined {
  if (typeof value === "string") return textMethods as Methods<unknown>;
  if (Array.isArray(value)) return listMethods as Methods<unknown>;
  if (typeof value === "number") return numberMethods as Methods<unknown>;
  if (isMap(value)) return mapMethods as Methods<unknown>;
  if (value instanceof Date) return dateMethods as Methods<unknown>;
  return value instanceof Error ? (errorMethods as Methods<unknown>) : undefined;
}

/** The type of a value, for error messages. */
function describeType(value: unknown): string {
  if (typeof value === "string") return jsonView(value) === undefined ? "text that is not JSON" : "text";
  if (typeof value === "number" || typeof value === "boolean") return `a ${typeof value}`;
  if (Array.isArray(value)) return "a list";
  return value instanceof Date ? "a time" : `a value of type ${javaTypeOf(value) ?? "null"}`;
}

function unknownMember(value: unknown, member: string): FlowError {
  return new FlowError("org.apache.camel.ExpressionEvaluationException", `${describeType(value)} has no ${member}`, {
    code: "simple-unknown-member",
  });
}

function withOneParameter(name: string): readonly [string, number] {
  return [name, 1];
}

const getterOf = (prefix: string, name: string): string => prefix + name.charAt(0).toUpperCase() + name.slice(1);
const decapitalize = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

function classOf(value: unknown): unknown {
  const name = javaTypeOf(value) ?? "";
  return { name, simpleName: name.slice(name.lastIndexOf(".") + 1), canonicalName: name };
}

/** The stack trace visible to flows: the exceptions, without frames of the engine. */
export function stackOf(error: Error): string {
  const lines: string[] = [];
  for (let at: unknown = error; at instanceof Error && lines.length < 20; at = at.cause)
    lines.push(`${lines.length === 0 ? "" : "Caused by: "}${javaTypeOf(at)}: ${at.message}`);
  return `${lines.join("\n")}\n`;
}

/** The difference of the first differing characters, or of the lengths. */
function javaCompare(left: string, right: string): number {
  for (let at = 0; at < left.length && at < right.length; at++) if (left[at] !== right[at]) return left.charCodeAt(at) - right.charCodeAt(at);
  return left.length - right.length;
}

function element(list: readonly unknown[], at: number): unknown {
  if (!(at >= 0 && at < list.length))
    throw new FlowError("java.lang.IndexOutOfBoundsException", `index ${at} is out of range: the list has ${list.length} element(s)`, {
      code: "simple-out-of-bounds",
    });
  return list[at];
}

function substring(text: string, from: number, to: number): string {
  if (!(from >= 0 && from <= to && to <= text.length))
    throw new FlowError("java.lang.StringIndexOutOfBoundsException", `range ${from} to ${to} is out of bounds: the text has ${text.length} characters`, {
      code: "simple-out-of-bounds",
    });
  return text.slice(from, to);
}

/** Maximum number of replacements per call, so that other runs are not blocked. */
const maxReplacements = 500_000;

/** Replaces every occurrence; fails before replacing anything if the result would be too long or there are too many occurrences. */
export function replaceAll(text: string, from: string, to: string): string {
  const count = from === "" ? text.length + 1 : occurrences(text, from);
  if (count > maxReplacements)
    throw new FlowError("java.lang.IllegalStateException", `time limit: at most ${maxReplacements} occurrences can be replaced at once`, {
      code: "limit-time",
    });
  checkTextLength(text.length + count * (to.length - from.length));
  // Joining the parts takes a fraction of the time of replacing them one by one.
  return from === "" ? text.replaceAll("", () => to) : text.split(from).join(to);
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count <= maxReplacements; at = text.indexOf(part, at + part.length)) count++;
  return count;
}
