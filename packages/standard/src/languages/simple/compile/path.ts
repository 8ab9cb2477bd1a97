// Walks a path through a value. Only data and the methods listed in methods.ts are accessible.
import { FlowError, isFlowError, type Exchange, type Expression } from "@sluice/engine/spi";
import { asText, copyJson, entryOf, fieldReader, isMap, jsonView } from "@sluice/engine/values";
import { hasFunction, unescape } from "../parse/scan.ts";
import type { PathSegment, PathText } from "../parse/path.ts";
import { separate, unquoted } from "../functions/arguments.ts";
import { callMethod, readProperty } from "./methods.ts";
import type { SimpleScope } from "./scope.ts";

type Step = (value: unknown, exchange: Exchange) => unknown;

/** A compiled path: maps a value to the value at the path. A null start returns null. */
export type Walk = (start: unknown, exchange: Exchange) => unknown;

export function compilePath(segments: readonly PathSegment[], scope: SimpleScope): Walk {
  const walk = compileWalk(segments, scope);
  const readers = segments.map(segmentReader);
  if (readers.includes(undefined)) return walk;
  const read = chainReaders(readers as readonly Reader[]);
  return (start, exchange) => read(start) ?? walk(start, exchange);
}

/** Reads one member of a plain object or a list; undefined when it does not exist or the value has another type. */
type Reader = (value: unknown) => unknown;

/** Fast path: constant names and keys through objects and lists. */
function segmentReader({ name, arguments: argumentText, indexes }: PathSegment): Reader | undefined {
  if (argumentText !== undefined || (name !== undefined && hasFunction(name)) || indexes.some(({ text }) => hasFunction(text))) return undefined;
  const keys = indexes.map((index) => indexReader(keyOf(index)));
  return chainReaders(name === undefined ? keys : [fieldReader(name), ...keys]);
}

function indexReader(key: string): Reader {
  const field = fieldReader(key);
  const position = positionOf(key);
  return position === undefined ? field : (value) => (Array.isArray(value) ? (value as readonly unknown[])[position] : field(value));
}

function chainReaders(readers: readonly Reader[]): Reader {
  const [first, second] = readers;
  if (first === undefined) return (value) => value;
  if (second === undefined) return first;
  if (readers.length === 2) return (value) => second(first(value));
  return (value) => {
    let current = value;
    for (let index = 0; index < readers.length; index++) current = (readers[index] as Reader)(current);
    return current;
  };
}

function compileWalk(segments: readonly PathSegment[], scope: SimpleScope): Walk {
  const steps = segments.map((segment, at) => ({
    step: compileSegment(segment, scope),
    nullSafe: segment.nullSafe || (segment.indexes.length > 0 && segments[at + 1]?.nullSafe === true),
    segmentText: formatSegment(segment),
  }));
  return (start, exchange) => {
    let value = start;
    if (value === null || value === undefined) return null;
    let copied = false;
    for (const { step, nullSafe, segmentText } of steps) {
      if (value === null || value === undefined) throw nullError(segmentText);
      const source = viewOf(value);
      copied ||= source !== value || typeof value === "string";
      value = step(source, exchange);
      if (nullSafe && (value === null || value === undefined)) return null;
    }
    return copied ? copyJson(value ?? null) : (value ?? null);
  };
}

/** Parses JSON in bytes; text stays text, because its own properties take precedence. */
function viewOf(value: unknown): unknown {
  return value instanceof Uint8Array ? (jsonView(value) ?? asText(value)) : value;
}

function compileSegment(segment: PathSegment, scope: SimpleScope): Step {
  const member = segment.name === undefined ? undefined : compileMember(segment, segment.name, scope);
  const indexes = segment.indexes.map((index) => compileIndex(index, scope));
  const walk: Step = (value, exchange) => {
    let current = member === undefined ? value : member(value, exchange);
    for (const index of indexes) {
      if (current === null || current === undefined) throw nullError(formatSegment(segment));
      current = index(current, exchange);
    }
    return current;
  };
  if (!segment.nullSafe || indexes.length === 0) return indexes.length === 0 && member !== undefined ? member : walk;
  return (value, exchange) => {
    try {
      return walk(value, exchange);
    } catch (fault) {
      if (isFlowError(fault) && fault.code === "simple-out-of-bounds") return null;
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
  if (!hasFunction(name)) return (value) => readProperty(value, name);
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
  const key = keyOf(index);
  return (value) => readIndex(value, key);
}

const keyOf = ({ text }: PathText): string => unescape(unquoted(text.trim()));

const positionOf = (key: string): number | undefined => (/^\d{1,9}$/.test(key) ? Number(key) : undefined);

function readIndex(source: unknown, key: string): unknown {
  const value = typeof source === "string" ? jsonView(source) : source;
  if (Array.isArray(value)) return readElement(value, key);
  if (isMap(value)) return entryOf(value, key) ?? null;
  throw new FlowError("java.lang.IndexOutOfBoundsException", `[${key}] needs a list or a map, but the value is neither`, { code: "simple-no-index" });
}

function readElement(list: readonly unknown[], key: string): unknown {
  const match = /^(?:(\d+)|last(?:\s*-\s*(\d+))?)$/.exec(key.trim());
  if (match === null)
    throw new FlowError("java.lang.IndexOutOfBoundsException", `[${key}] is not a list index: use a number, last or last-1`, { code: "simple-no-index" });
  const position = match[1] === undefined ? list.length - 1 - Number(match[2] ?? 0) : Number(match[1]);
  if (position < 0 || position >= list.length)
    throw new FlowError("java.lang.IndexOutOfBoundsException", `[${key}] is out of bounds: the list has ${list.length} element(s)`, {
      code: "simple-out-of-bounds",
    });
  return list[position];
}

function nullError(segmentText: string): FlowError {
  return new FlowError("org.apache.camel.ExpressionEvaluationException", `the path is null before '${segmentText}'; use ?. before a name that may be absent`, {
    code: "simple-null-path",
  });
}

function formatSegment(segment: PathSegment): string {
  return `${segment.name === undefined ? "" : `.${segment.name}`}${segment.indexes.map(({ text }) => `[${text}]`).join("")}`;
}
