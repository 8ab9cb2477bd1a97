// Walking a path through a value. Only data and the methods listed in methods.ts can be reached.
import { FlowError, asText, copyJson, entryOf, fieldReader, isMap, jsonView, type Exchange, type Expression } from "@sluice/engine/spi";
import { hasFunction, unescape } from "../parse/scan.ts";
import type { PathSegment, PathText } from "../parse/path.ts";
import { separate, unquoted } from "../functions/arguments.ts";
import { callMethod, readProperty } from "./methods.ts";
import type { SimpleScope } from "./scope.ts";

type Step = (value: unknown, exchange: Exchange) => unknown;

/** A compiled path: from a value to what it leads to. A null start gives null. */
export type Walk = (start: unknown, exchange: Exchange) => unknown;

export function compilePath(segments: readonly PathSegment[], scope: SimpleScope): Walk {
  const [first] = segments;
  if (segments.length === 1 && first?.name !== undefined && first.arguments === undefined && first.indexes.length === 0 && !hasFunction(first.name))
    return fieldWalk(first.name);
  const steps = segments.map((segment) => ({ step: compileSegment(segment, scope), nullSafe: segment.nullSafe, shown: shownSegment(segment) }));
  return (start, exchange) => {
    let value = start;
    if (value === null || value === undefined) return null;
    let copied = false;
    for (const { step, nullSafe, shown } of steps) {
      if (value === null || value === undefined) throw nullError(shown);
      const source = viewOf(value);
      copied ||= source !== value || typeof value === "string";
      value = step(source, exchange);
      if (nullSafe && (value === null || value === undefined)) return null;
    }
    return copied ? copyJson(value ?? null) : (value ?? null);
  };
}

/** The usual case, one name on an object, without a loop. */
function fieldWalk(name: string): Walk {
  const field = fieldReader(name);
  return (start) => {
    const direct = field(start);
    if (direct !== undefined) return direct;
    if (start === null || start === undefined) return null;
    const source = viewOf(start);
    const found = readProperty(source, name) ?? null;
    return source === start && typeof start !== "string" ? found : copyJson(found);
  };
}

/** The JSON in bytes; text stays text, whose own properties come first. */
function viewOf(value: unknown): unknown {
  return value instanceof Uint8Array ? (jsonView(value) ?? asText(value)) : value;
}

function compileSegment(segment: PathSegment, scope: SimpleScope): Step {
  const member = segment.name === undefined ? undefined : compileMember(segment, segment.name, scope);
  const indexes = segment.indexes.map((index) => compileIndex(index, scope));
  const walk: Step = (value, exchange) => {
    let current = member === undefined ? value : member(value, exchange);
    for (const index of indexes) {
      if (current === null || current === undefined) throw nullError(shownSegment(segment));
      current = index(current, exchange);
    }
    return current;
  };
  if (!segment.nullSafe || indexes.length === 0) return indexes.length === 0 && member !== undefined ? member : walk;
  return (value, exchange) => {
    try {
      return walk(value, exchange);
    } catch (fault) {
      if (fault instanceof FlowError && fault.code === "simple-out-of-bounds") return null;
      throw fault;
    }
  };
}

function compileMember(segment: PathSegment, name: string, scope: SimpleScope): Step {
  if (segment.arguments !== undefined) {
    const values = separate(segment.arguments.text, segment.arguments.offset).map((argument) => compileMethodArgument(argument, scope));
    return (value, exchange) =>
      callMethod(
        value,
        name,
        values.map((read) => read(exchange)),
      );
  }
  if (!hasFunction(name)) {
    const field = fieldReader(name);
    return (value) => field(value) ?? readProperty(value, name);
  }
  const dynamic = scope.compile.text(name, segment.offset, scope);
  return (value, exchange) => readProperty(value, asText(dynamic(exchange)));
}

function compileMethodArgument(argument: PathText, scope: SimpleScope): Expression {
  const text = argument.text.trim();
  if (/^-?\d+(\.\d+)?$/.test(text)) return () => Number(text);
  if (text === "true" || text === "false") return () => text === "true";
  if (text === "null") return () => null;
  return scope.compile.text(unquoted(text), argument.offset, scope);
}

function compileIndex(index: PathText, scope: SimpleScope): Step {
  if (hasFunction(index.text)) {
    const key = scope.compile.text(unquoted(index.text.trim()), index.offset, scope);
    return (value, exchange) => readIndex(value, asText(key(exchange)));
  }
  const key = unescape(unquoted(index.text.trim()));
  const position = /^\d{1,9}$/.test(key) ? Number(key) : undefined;
  if (position === undefined) return (value) => readIndex(value, key);
  return (value) => (Array.isArray(value) && position < value.length ? (value as readonly unknown[])[position] : readIndex(value, key));
}

function readIndex(source: unknown, key: string): unknown {
  const value = typeof source === "string" ? jsonView(source) : source;
  if (Array.isArray(value)) return readElement(value, key);
  if (isMap(value)) return entryOf(value, key) ?? null;
  throw new FlowError("java.lang.IndexOutOfBoundsException", `[${key}] needs a list or a map, the value is neither`, { code: "simple-no-index" });
}

function readElement(list: readonly unknown[], key: string): unknown {
  const match = /^(?:(\d+)|last(?:\s*-\s*(\d+))?)$/.exec(key.trim());
  if (match === null)
    throw new FlowError("java.lang.IndexOutOfBoundsException", `[${key}] is no index of a list: write a number, last or last-1`, { code: "simple-no-index" });
  const position = match[1] === undefined ? list.length - 1 - Number(match[2] ?? 0) : Number(match[1]);
  if (position < 0 || position >= list.length)
    throw new FlowError("java.lang.IndexOutOfBoundsException", `[${key}] is out of bounds: the list holds ${list.length} element(s)`, {
      code: "simple-out-of-bounds",
    });
  return list[position];
}

function nullError(shown: string): FlowError {
  return new FlowError(
    "org.apache.camel.ExpressionEvaluationException",
    `the path reaches null before '${shown}'; write ?. in front of the name that may be absent`,
    { code: "simple-null-path" },
  );
}

function shownSegment(segment: PathSegment): string {
  return `${segment.name === undefined ? "" : `.${segment.name}`}${segment.indexes.map(({ text }) => `[${text}]`).join("")}`;
}
