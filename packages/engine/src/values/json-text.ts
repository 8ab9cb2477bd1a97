// Parses JSON text within limits and keeps integers that a double cannot represent as bigint. asJson writes them back.
import { parsePieces, type ParsePiece } from "./json-pieces.ts";
import { maxJsonDepth, scanJson, scanJsonIncrementally, depthError, type JsonScan } from "./json-scan.ts";

/** Integers that a double may not represent, and numbers that may be too large for it. */
const unusualNumber = /\d{16}|\d[eE]\+?\d{3}/;
/** Text of at least this length is scanned before it is parsed: shorter text is always fast. */
const scanMinLength = 256 * 1024;
const mark = "\u0000n";
const escapedMark = String.raw`\u0000n`;

/** The value of a JSON text. Throws a SyntaxError as JSON.parse does, or a JsonLimitError. */
export function parseJsonText(text: string): unknown {
  if (text.length < scanMinLength && !unusualNumber.test(text)) return parseShort(text);
  return parseChecked(text, checkText(text));
}

/** Like {@link parseJsonText}, with every number a double. */
export function parsePlainJson(text: string): unknown {
  if (text.length < scanMinLength && !unusualNumber.test(text)) return parseShort(text);
  checkText(text);
  return JSON.parse(text) as unknown;
}

/** Like {@link parseJsonText}, incrementally when the text is long. */
export function* parseJsonTextIncrementally(text: string): Generator<undefined, unknown> {
  if (text.length < scanMinLength && !unusualNumber.test(text)) return parseShort(text);
  const { longNumbers, root } = validScan(text, yield* scanJsonIncrementally(text));
  const marked = text.includes(escapedMark) ? [] : longNumbers;
  return root === undefined ? parseChecked(text, longNumbers) : yield* parsePieces(text, root, pieceParser(text, marked));
}

/** Like {@link parsePlainJson}, incrementally when the text is long. */
export function* parsePlainJsonIncrementally(text: string): Generator<undefined, unknown> {
  if (text.length < scanMinLength && !unusualNumber.test(text)) return parseShort(text);
  const { root } = validScan(text, yield* scanJsonIncrementally(text));
  return root === undefined ? (JSON.parse(text) as unknown) : yield* parsePieces(text, root, pieceParser(text, []));
}

/** Checks the limits and the structure of JSON that is not parsed; throws as {@link parseJsonText} does. */
export function* checkJsonIncrementally(text: string): Generator<undefined, void> {
  validScan(text, yield* scanJsonIncrementally(text));
}

function parseChecked(text: string, longNumbers: readonly number[]): unknown {
  if (longNumbers.length === 0 || text.includes(escapedMark)) return JSON.parse(text) as unknown;
  return restoreLongNumbers(JSON.parse(markedText(text, longNumbers)) as unknown);
}

/** Pieces are requested in text order, so the long numbers are traversed once. */
function pieceParser(text: string, longNumbers: readonly number[]): ParsePiece {
  let next = 0;
  return (from, to, brackets) => {
    const first = next;
    while (next < longNumbers.length && (longNumbers[next] as number) < to) next += 2;
    if (next > first) {
      const inside = markedText(text.slice(0, to), longNumbers.slice(first, next), from);
      return restoreLongNumbers(JSON.parse(brackets.charAt(0) + inside + brackets.charAt(1)));
    }
    try {
      return JSON.parse(brackets.charAt(0) + text.slice(from, to) + brackets.charAt(1)) as unknown;
    } catch (error) {
      throw relocateError(error, from - 1);
    }
  };
}

/** The failure of a piece with its position in the whole text. */
function relocateError(error: unknown, offset: number): unknown {
  const position = error instanceof SyntaxError ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? error : new SyntaxError(`Unexpected character in JSON at position ${Number(position) + offset}`);
}

function parseShort(text: string): unknown {
  const value = JSON.parse(text) as unknown;
  if (text.length > maxJsonDepth * 2 && typeof value === "object" && value !== null) checkDepth(value, 0);
  return value;
}

/** Scans the text and throws for input that must not be parsed; returns the positions of its long numbers. */
function checkText(text: string): readonly number[] {
  return validScan(text, scanJson(text)).longNumbers;
}

function validScan(text: string, scan: JsonScan): JsonScan {
  if (scan.faultAt === undefined) return scan;
  throw new SyntaxError(`Unexpected ${scan.faultAt < text.length ? "character" : "end"} in JSON at position ${scan.faultAt}`);
}

function checkDepth(value: object, depth: number): void {
  if (depth >= maxJsonDepth) throw depthError();
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner: unknown = value[index];
      if (typeof inner === "object" && inner !== null) checkDepth(inner, depth + 1);
    }
    return;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === "object" && inner !== null) checkDepth(inner, depth + 1);
  }
}

/** The text from a position on, with long numbers as marked strings. */
function markedText(text: string, longNumbers: readonly number[], start = 0): string {
  const parts: string[] = [];
  let from = start;
  for (let index = 0; index < longNumbers.length; index += 2) {
    const [start, end] = [longNumbers[index] as number, longNumbers[index + 1] as number];
    parts.push(text.slice(from, start), `"${escapedMark}${text.slice(start, end)}"`);
    from = end;
  }
  return parts.join("") + text.slice(from);
}

/** Replaces marked strings with the numbers they stand for, in place: a reviver would take many times as long. */
function restoreLongNumbers(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = restoreLongNumbers(value[index]);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const key in object) {
    const inner = object[key];
    if (typeof inner === "object" || (typeof inner === "string" && inner.startsWith(mark))) object[key] = restoreLongNumbers(inner);
  }
  return object;
}

/** Where text stops being valid JSON, derived from the parse error; undefined when unknown. */
export function jsonFaultAt(text: string, error: unknown): number | undefined {
  const position = error instanceof SyntaxError ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  // Long text was already scanned; short text is scanned now, because the parser does not always report the position.
  if (text.length >= scanMinLength) return position === undefined ? undefined : Number(position);
  return scanJson(text).faultAt ?? (position === undefined ? undefined : Number(position));
}

const decoder = new TextDecoder();
/** Only this many bytes are decoded to find the first character: decoding all bytes of a large body may take 100 ms. */
const prefixBytes = 1024;

/** False for bytes that are certainly neither a list nor an object. */
export function mayBeJson(bytes: Uint8Array): boolean {
  if (bytes.length <= prefixBytes) return true;
  const [first] = /[^\s\uFEFF]/.exec(decoder.decode(bytes.subarray(0, prefixBytes))) ?? [];
  return first === undefined || first === "{" || first === "[";
}
