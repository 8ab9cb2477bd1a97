// Scans a JSON text without building values, in a tenth of the parse time. Parsing cannot be interrupted, and a few megabytes of empty lists
// take a second to parse, so such JSON is rejected first.
import { FlowError } from "../errors/flow-error.ts";
import { JsonLayout, type LongContainer } from "./json-layout.ts";

/** Maximum nesting depth; the same as in Jackson, Camel's JSON parser. */
export const maxJsonDepth = 1000;
/** Maximum size of a document: each list and object counts one, each new key eight. */
const maxJsonParts = 500_000;
/** Maximum digits of an integer: parsing time grows with the square of the length. */
export const maxIntegerDigits = 1000;

const weightOfKey = 8;
/**
 * Size of the table of recent keys, hashed by length and by first and last character: most documents repeat a few keys, and comparing is cheaper
 * than a set lookup.
 */
const recentKeys = 4096;

// A plug-in may bundle its own copy of this class, so recognize it by this symbol instead of `instanceof`.
const brand: unique symbol = Symbol.for("sluice.JsonLimitError");

/** A JSON text exceeds a limit. */
export class JsonLimitError extends FlowError {
  /** Describes the exceeded limit; `text` is the caller's name for the JSON: "it", "the source". */
  readonly describe: (text: string) => string;

  constructor(describe: (text: string) => string) {
    super("com.fasterxml.jackson.core.exc.StreamConstraintsException", `size limit: ${describe("the JSON text")}`, { code: "limit-json" });
    this.describe = describe;
  }

  get [brand](): true {
    return true;
  }
}

/** True for a JsonLimitError of any copy of this package. */
export function isJsonLimitError(value: unknown): value is JsonLimitError {
  return typeof value === "object" && value !== null && brand in value;
}

export interface JsonScan {
  /** Where the text stops being JSON; undefined when its structure is valid. Escapes and number formats are left to the parser. */
  readonly faultAt: number | undefined;
  /** Alternating start and end of each integer that a double cannot represent. */
  readonly longNumbers: readonly number[];
  /** The outermost list or object if it is long and the layout was requested. */
  readonly root: LongContainer | undefined;
}

/** The error for JSON that is nested too deeply. */
export function depthError(): JsonLimitError {
  return new JsonLimitError((it) => `${it} is nested deeper than ${maxJsonDepth} levels`);
}

/** Throws a {@link JsonLimitError} for JSON that must not be parsed. */
export function scanJson(text: string): JsonScan {
  return new JsonScanner(text, undefined).scan();
}

/** Like {@link scanJson} for long text, incrementally, with the layout. */
export function scanJsonIncrementally(text: string): Generator<undefined, JsonScan> {
  return new JsonScanner(text, new JsonLayout(maxJsonDepth)).scanIncrementally();
}

/** Characters scanned per step. */
const charactersPerStep = 256 * 1024;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** The tokens that are allowed next. */
const expectedToken = { value: 0, firstValue: 1, key: 2, firstKey: 3, colon: 4, comma: 5 } as const;

class JsonScanner {
  readonly #text: string;
  readonly #layout: JsonLayout | undefined;
  readonly #open = new Uint8Array(maxJsonDepth + 1);
  readonly #longNumbers: number[] = [];
  #at = 0;
  #expected: number = expectedToken.value;
  #depth = 0;
  #parts = 0;
  #keys: Set<string> | undefined;
  #recent: Int32Array | undefined;

  constructor(text: string, layout: JsonLayout | undefined) {
    this.#text = text;
    this.#layout = layout;
  }

  scan(): JsonScan {
    return this.#result(this.#advance(this.#text.length));
  }

  *scanIncrementally(): Generator<undefined, JsonScan> {
    for (;;) {
      const isValid = this.#advance(Math.min(this.#text.length, this.#at + charactersPerStep));
      if (!isValid || this.#at >= this.#text.length) return this.#result(isValid);
      yield undefined;
    }
  }

  /** Scans to a position, or past it when a string or number extends further; false when it stopped at an error. */
  #advance(until: number): boolean {
    const text = this.#text;
    const layout = this.#layout;
    let expected = this.#expected;
    let at = this.#at;
    let isValid = true;
    while (at < until) {
      const unit = text.charCodeAt(at);
      if (unit <= space) {
        isValid = unit === space || unit === 0x0a || unit === 0x0d || unit === 0x09;
        if (!isValid) break;
        at++;
      } else if (unit === comma) {
        isValid = expected === expectedToken.comma && this.#depth > 0;
        if (!isValid) break;
        expected = this.#open[this.#depth] === openObject ? expectedToken.key : expectedToken.value;
        layout?.comma(this.#depth, at);
        at++;
      } else if (unit === colon) {
        isValid = expected === expectedToken.colon;
        if (!isValid) break;
        expected = expectedToken.value;
        at++;
      } else if (unit === closeList || unit === closeObject) {
        isValid = this.#closes(unit, expected);
        if (!isValid) break;
        layout?.close(this.#depth, at);
        this.#depth--;
        expected = expectedToken.comma;
        at++;
      } else if (expected === expectedToken.key || expected === expectedToken.firstKey) {
        const end = unit === quote ? this.#textEnd(at) : -1;
        isValid = end >= 0;
        if (!isValid) break;
        this.#key(at, end);
        layout?.key(this.#depth, at);
        expected = expectedToken.colon;
        at = end;
      } else if (expected > expectedToken.firstValue) {
        isValid = false;
        break;
      } else if (unit === openList || unit === openObject) {
        this.#enter(unit);
        layout?.open(this.#depth, at);
        expected = unit === openList ? expectedToken.firstValue : expectedToken.firstKey;
        at++;
      } else {
        const end = this.#scalarEnd(unit, at);
        isValid = end > at;
        if (!isValid) break;
        expected = expectedToken.comma;
        at = end;
      }
    }
    this.#at = at;
    this.#expected = expected;
    return isValid;
  }

  #result(isValid: boolean): JsonScan {
    const isComplete = isValid && this.#depth === 0 && this.#expected === expectedToken.comma;
    return { faultAt: isComplete ? undefined : this.#at, longNumbers: this.#longNumbers, root: isComplete ? this.#layout?.root : undefined };
  }

  #closes(unit: number, expected: number): boolean {
    const opening = unit === closeList ? openList : openObject;
    if (this.#depth === 0 || this.#open[this.#depth] !== opening) return false;
    return expected === expectedToken.comma || expected === (unit === closeList ? expectedToken.firstValue : expectedToken.firstKey);
  }

  #enter(unit: number): void {
    if (++this.#depth > maxJsonDepth) throw depthError();
    this.#open[this.#depth] = unit;
    this.#count(1);
  }

  #count(parts: number): void {
    this.#parts += parts;
    if (this.#parts > maxJsonParts)
      throw new JsonLimitError(
        (it) => `${it} has more than ${maxJsonParts} lists and objects (each different key counts as ${weightOfKey}): send it in several parts`,
      );
  }

  /** Position after the closing quote; -1 when there is none. */
  #textEnd(opening: number): number {
    const text = this.#text;
    const near = Math.min(text.length, opening + 40);
    for (let at = opening + 1; at < near; at++) {
      const unit = text.charCodeAt(at);
      if (unit === quote) return at + 1;
      if (unit === backslash) at++;
      else if (unit < space) return -1;
    }
    const end = jsonStringEnd(text, opening);
    return end > 0 && text.charCodeAt(end - 1) === quote && end > opening + 1 ? end : -1;
  }

  #scalarEnd(unit: number, at: number): number {
    const text = this.#text;
    if (unit === quote) return this.#textEnd(at);
    if (unit === minus || (unit >= 0x30 && unit <= 0x39)) return this.#numberEnd(at);
    const word = unit === 0x74 ? "true" : unit === 0x66 ? "false" : "null";
    return text.startsWith(word, at) ? at + word.length : -1;
  }

  #numberEnd(start: number): number {
    const text = this.#text;
    let end = start + 1;
    let isInteger = true;
    for (; end < text.length; end++) {
      const unit = text.charCodeAt(end);
      if (unit >= 0x30 && unit <= 0x39) {
        if (isInteger && end - start > maxIntegerDigits) break;
        continue;
      }
      // A decimal point, a sign or an exponent.
      if (unit !== 0x2e && unit !== 0x2b && unit !== minus && (unit | 0x20) !== 0x65) break;
      isInteger = false;
    }
    if (end - start > 15 || !isInteger) this.#checkNumber(start, end, isInteger);
    return end;
  }

  #checkNumber(start: number, end: number, isInteger: boolean): void {
    if (isInteger && end - start > maxIntegerDigits) throw new JsonLimitError((it) => `an integer in ${it} has more than ${maxIntegerDigits} digits`);
    const digits = this.#text.slice(start, end);
    const number = Number(digits);
    if (!isInteger && (number === Infinity || number === -Infinity)) {
      // The message omits the number: the caller's error must not repeat body content.
      throw new JsonLimitError((it) => `a number in ${it} is too large: numbers go up to 1.8e308; write it as text`);
    }
    if (isInteger && /^-?[1-9]/.test(digits) && !Number.isSafeInteger(number)) this.#longNumbers.push(start, end);
  }

  #key(start: number, end: number): void {
    const text = this.#text;
    const recent = (this.#recent ??= new Int32Array(recentKeys * 2));
    const slot = ((Math.imul(end - start, 31) + Math.imul(text.charCodeAt(start + 1), 7) + Math.imul(text.charCodeAt(end - 2), 127)) & (recentKeys - 1)) * 2;
    if (recent[slot + 1] === end - start && this.#same(recent[slot] as number, start, end - start)) return;
    recent[slot] = start;
    recent[slot + 1] = end - start;
    const keys = (this.#keys ??= new Set());
    const sizeBefore = keys.size;
    keys.add(text.slice(start, end));
    this.#count(keys.size > sizeBefore ? weightOfKey : 1);
  }

  #same(one: number, other: number, length: number): boolean {
    const text = this.#text;
    for (let at = 0; at < length; at++) if (text.charCodeAt(one + at) !== text.charCodeAt(other + at)) return false;
    return true;
  }
}

/** Position after the closing quote; the end of the text when there is none. */
export function jsonStringEnd(text: string, opening: number): number {
  const first = text.indexOf('"', opening + 1);
  if (first < 0) return text.length;
  if (text.charCodeAt(first - 1) !== backslash) return first + 1;
  // A string may contain millions of escaped quotes: one `indexOf` call for each would take half a second.
  for (let at = opening + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) return at + 1;
    if (unit === backslash) at++;
  }
  return text.length;
}
