// Reads JSON values from messages. Text and bytes are parsed once per message: a choice with five JSONPath branches would
// otherwise parse the same body five times.
import { FlowError, isFlowError, type Exchange, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { readJsonAhead } from "@sluice/engine/tools";
import { asText, decodeText, isStream, longJson, parsePlainJson, type LongJson } from "@sluice/engine/values";

const parsedBytes = new WeakMap<Uint8Array, unknown>();
const parsedText = new WeakMap<object, { readonly text: string; readonly value: unknown }>();

/** The JSON value of `raw`; text and bytes are parsed, other values are returned unchanged. */
export function readJson(raw: unknown, exchange: Exchange, language: string): unknown {
  if (typeof raw === "string") {
    const ahead = longJson(raw);
    // Not cached: partOfJson may return a part of this value itself; a later reader must then parse the text again.
    if (ahead?.isExact === true) return parseJson(raw, language, ahead);
    const cached = parsedText.get(exchange.message);
    if (cached !== undefined && cached.text === raw) return cached.value;
    const value = parseJson(raw, language, ahead);
    parsedText.set(exchange.message, { text: raw, value });
    return value;
  }
  if (raw instanceof Uint8Array) {
    const ahead = longJson(raw);
    if (ahead?.isExact === true && ahead.error === undefined) return ahead.value;
    const cached = parsedBytes.get(raw);
    if (cached !== undefined) return cached;
    const value = parseJson(decodeText(raw), language, ahead);
    if (value !== undefined) parsedBytes.set(raw, value);
    return value;
  }
  if (isStream(raw))
    throw new FlowError("org.apache.camel.ExpressionEvaluationException", `${language} cannot read a stream: add convertBodyTo: String before it`, {
      code: "body-stream",
    });
  return raw;
}

/** Parses long JSON in slices before the step that evaluates the expression. */
export function readAhead(source: Expression, scope: LanguageScope): void {
  scope.beforeStep?.((exchange) => readJsonAhead(source(exchange), exchange, scope.host.clock));
}

function parseJson(text: string, language: string, ahead: LongJson | undefined): unknown {
  try {
    if (ahead?.isExact !== true) return parsePlainJson(text);
    if (ahead.error === undefined) return ahead.value;
    throw ahead.error;
  } catch (cause) {
    if (isFlowError(cause)) throw cause;
    const start = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    throw new FlowError(
      "org.apache.camel.ExpressionEvaluationException",
      `${language} needs JSON, but the text is not valid JSON: ${start === "" ? "it is empty" : start}`,
      {
        code: "json-invalid",
        cause,
      },
    );
  }
}

/** Maximum number of lists and maps in one input: a list that contains the same list many times is small in memory, but slow to traverse. */
const maxNodes = 300_000;
const maxDepth = 2000;

/** Converts a value to plain JSON: maps, sets, dates and bytes are converted. Unchanged parts are shared, not copied. */
export function toPlainJson(value: unknown): unknown {
  return plainOf(value, 0, { remaining: maxNodes });
}

interface Budget {
  remaining: number;
}

function plainOf(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value !== "object" || value === null)
    return typeof value === "bigint" ? Number(value) : typeof value === "function" || typeof value === "symbol" ? null : (value ?? null);
  if (depth > maxDepth)
    throw new FlowError("java.lang.IllegalStateException", `size limit: the value is nested deeper than ${maxDepth} levels`, { code: "limit-size" });
  if (--budget.remaining < 0)
    throw new FlowError("java.lang.IllegalStateException", `size limit: the value has more than ${maxNodes} lists and maps`, { code: "limit-size" });
  if (Array.isArray(value)) return plainArray(value, depth, budget);
  if (value instanceof Map) return plainEntries(value, depth, budget);
  if (value instanceof Set) return plainArray([...value], depth, budget);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return plainObject(value as Record<string, unknown>, depth, budget);
  return value instanceof Uint8Array || value instanceof Date || value instanceof Error ? asText(value) : plainEntries(Object.entries(value), depth, budget);
}

function plainArray(values: readonly unknown[], depth: number, budget: Budget): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < values.length; index++) {
    const item = values[index];
    const plain = plainOf(item, depth + 1, budget);
    if (copy !== undefined) copy.push(plain);
    else if (plain !== item) copy = [...values.slice(0, index), plain];
  }
  return copy ?? values;
}

function plainObject(value: Record<string, unknown>, depth: number, budget: Budget): unknown {
  const keys = Object.keys(value);
  let copy: Record<string, unknown> | undefined;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const plain = plainOf(value[key], depth + 1, budget);
    if (copy === undefined && plain !== value[key]) {
      copy = Object.create(null) as Record<string, unknown>;
      for (const earlier of keys.slice(0, index)) copy[earlier] = value[earlier];
    }
    if (copy !== undefined) copy[key] = plain;
  }
  return copy ?? value;
}

function plainEntries(entries: Iterable<[unknown, unknown]>, depth: number, budget: Budget): Record<string, unknown> {
  const result = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of entries) result[asText(key)] = plainOf(item, depth + 1, budget);
  return result;
}
