// JSON values out of whatever a message carries. Text and bytes are parsed once per message, because a choice with
// five JSONPath branches would otherwise parse the same body five times.
import { FlowError, asText, isStream, type Exchange } from "@sluice/engine/spi";

const parsedBytes = new WeakMap<Uint8Array, unknown>();
const parsedText = new WeakMap<object, { readonly text: string; readonly value: unknown }>();
const decoder = new TextDecoder();

/** The JSON value of `raw`; text and bytes are parsed, everything else is taken as it is. */
export function readJson(raw: unknown, exchange: Exchange, language: string): unknown {
  if (typeof raw === "string") {
    const known = parsedText.get(exchange.message);
    if (known !== undefined && known.text === raw) return known.value;
    const value = parseJson(raw, language);
    parsedText.set(exchange.message, { text: raw, value });
    return value;
  }
  if (raw instanceof Uint8Array) {
    const known = parsedBytes.get(raw);
    if (known !== undefined) return known;
    const value = parseJson(decoder.decode(raw), language);
    if (value !== undefined) parsedBytes.set(raw, value);
    return value;
  }
  if (isStream(raw))
    throw new FlowError("org.apache.camel.ExpressionEvaluationException", `${language} cannot read a stream: put convertBodyTo: String before it`, {
      code: "body-stream",
    });
  return raw;
}

function parseJson(text: string, language: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const start = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    throw new FlowError(
      "org.apache.camel.ExpressionEvaluationException",
      `${language} needs JSON but the text is none: ${start === "" ? "it is empty" : start}`,
      {
        code: "json-invalid",
        cause,
      },
    );
  }
}

/** Values one input may hold; a list that holds one list many times is small in memory and endless when it is walked. */
const mostNodes = 300_000;

/** The value as plain JSON: maps, sets, dates and bytes become what JSON has for them. Untouched parts are shared, not copied. */
export function toPlainJson(value: unknown): unknown {
  return plainOf(value, 0, { left: mostNodes });
}

interface Budget {
  left: number;
}

function plainOf(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value !== "object" || value === null)
    return typeof value === "bigint" ? Number(value) : typeof value === "function" || typeof value === "symbol" ? null : (value ?? null);
  if (depth > 2000) throw new FlowError("java.lang.IllegalStateException", "size limit: the value is nested too deeply", { code: "limit-size" });
  if (--budget.left < 0)
    throw new FlowError("java.lang.IllegalStateException", `size limit: the value holds more than ${mostNodes} lists and maps`, { code: "limit-size" });
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
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (plainOf(item, depth + 1, budget) !== item) return plainEntries(Object.entries(value), depth, budget);
  }
  return value;
}

function plainEntries(entries: Iterable<[unknown, unknown]>, depth: number, budget: Budget): Record<string, unknown> {
  const result = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of entries) result[asText(key)] = plainOf(item, depth + 1, budget);
  return result;
}
