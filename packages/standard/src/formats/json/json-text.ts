// JSON text ⇄ values. Integers outside the safe integer range become bigint.
import type { Clock } from "@sluice/engine/spi";
import { inSlices } from "@sluice/engine/tools";
import { asJson, isJsonLimitError, jsonFaultAt, parseJsonText, parseJsonTextIncrementally, textPosition } from "@sluice/engine/values";
import { invalidInput } from "../format-input.ts";

/** Parses JSON; throws a FlowError with line and column. */
export function parseJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (cause) {
    throw invalidInput("json", describeFault(text, cause), cause);
  }
}

/** Like {@link parseJson}, in slices, for long text. */
export async function parseLongJson(text: string, clock: Clock): Promise<unknown> {
  try {
    return await inSlices(parseJsonTextIncrementally(text), clock);
  } catch (cause) {
    throw invalidInput("json", describeFault(text, cause), cause);
  }
}

/** Serializes a value as JSON: maps as objects, sets as lists, bytes as text, bigint as a number. */
export function writeJson(value: unknown): string {
  return asJson(value) || "null";
}

function describeFault(text: string, cause: unknown): string {
  if (text.trim() === "") return "the body is not valid JSON: it is empty";
  if (isJsonLimitError(cause)) return `the body cannot be parsed as JSON: ${cause.describe("it")}`;
  const offset = jsonFaultAt(text, cause);
  if (offset === undefined) return "the body is not valid JSON";
  const found = offset >= text.length ? "unexpected end of input" : `unexpected ${JSON.stringify(text.slice(offset, offset + 1))}`;
  return `the body is not valid JSON: ${found} at ${textPosition(text, offset)}`;
}
