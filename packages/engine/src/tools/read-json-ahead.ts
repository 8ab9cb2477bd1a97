// Expressions are synchronous. Parsing ten megabytes inside one would block the event loop, so long JSON is parsed beforehand, in slices.
import type { Exchange } from "../exchange/exchange.ts";
import { mayBeJson, parsePlainJsonIncrementally } from "../values/json-text.ts";
import { addReader, cacheLongBytes, cacheLongText, longJson, minLongJsonLength, recallLongText, type LongJson } from "../values/long-json.ts";
import type { Clock } from "../spi/host.ts";
import { inSlices } from "./pacing.ts";
import type { Awaitable } from "../spi/processor.ts";

const decoder = new TextDecoder();

/** Parses long text or bytes in slices, for {@link longJson}; does nothing for other values. */
export function readJsonAhead(source: unknown, exchange: Exchange, clock: Clock): Awaitable {
  const { message, at } = exchange;
  if (typeof source === "string") {
    if (source.length < minLongJsonLength || recallLongText(source, message, at)) return undefined;
    return parseAhead(source, at, clock)?.then((json) => {
      // Another expression of the step may have parsed it meanwhile.
      if (!recallLongText(source, message, at)) cacheLongText(source, message, json);
    });
  }
  if (!(source instanceof Uint8Array) || source.length < minLongJsonLength || recallLongBytes(source, at) || !mayBeJson(source)) return undefined;
  const text = decoder.decode(source);
  return parseAhead(text, at, clock)?.then((json) => {
    if (recallLongBytes(source, at)) return;
    cacheLongBytes(source, json);
    // Bytes that are not JSON are read as text, which is parsed again.
    if (json.error !== undefined) cacheLongText(text, message, json);
  });
}

/** Registers the step as a reader of the parsed bytes; false when they were not parsed yet. */
function recallLongBytes(bytes: Uint8Array, step: unknown): boolean {
  const json = longJson(bytes);
  if (json !== undefined) addReader(json, step);
  return json !== undefined;
}

/**
 * Stores a failure for the expression to throw, because a branch that is not taken must not fail. Undefined for text that is neither a list nor an
 * object: it is fast to parse.
 */
function parseAhead(text: string, step: unknown, clock: Clock): Promise<LongJson> | undefined {
  const start = text.search(/[^\s\uFEFF]/);
  if (start < 0 || (text[start] !== "{" && text[start] !== "[")) return undefined;
  const isExact = /^[ \t\r\n]*$/.test(text.slice(0, start));
  return inSlices(parsePlainJsonIncrementally(start === 0 ? text : text.slice(start)), clock).then(
    (value): LongJson => ({ value, error: undefined, isExact, step, readers: 1, isHandedOut: false }),
    (error: unknown): LongJson => ({ value: undefined, error, isExact, step, readers: 1, isHandedOut: false }),
  );
}
