// Regular expressions from flows and messages. Java's syntax, matched in linear time, so that no pattern can block the event loop; look-around
// and back-references cannot be matched that way and are rejected.
import type { RE2JS } from "re2js";
import { FlowError } from "../errors/flow-error.ts";
import { checkPartCount, maxParts } from "./limit.ts";
import { compileLinear } from "./linear-regexp.ts";

const cacheSize = 500;
const maxPatternLength = 10_000;
/** Limit of program steps times characters for a search with groups, about a tenth of a second. A test without groups is far cheaper. */
const searchLimit = 750_000;
/** Limits of a test: its time depends on the length of the text and, for large programs, on the number of states to create. */
const testLimits = { characters: 2_500_000, states: 1_000_000_000 } as const;
/** One kind of character, possibly repeated: JavaScript's own matcher handles these in one pass. */
const plainPattern = /^(?:\\[dwDW]|\\[.|,;$]|[A-Za-z0-9 ,;:_/"'=&-]|\[\^?[A-Za-z0-9 ,;:_/"'=.-]+\])\+?$/;
const cache = new Map<string, TextPattern>();

const posixClasses: Readonly<Record<string, string>> = {
  Alpha: "a-zA-Z",
  Digit: "0-9",
  Alnum: "a-zA-Z0-9",
  Lower: "a-z",
  Upper: "A-Z",
  Punct: "!-/:-@\\[-`{-~",
  Blank: " \\t",
  Space: " \\t\\n\\x0B\\f\\r",
  XDigit: "0-9a-fA-F",
  Cntrl: "\\x00-\\x1F\\x7F",
  Graph: "!-~",
  Print: " -~",
  ASCII: "\\x00-\\x7F",
  IsAlphabetic: "\\pL",
  IsLetter: "\\pL",
  IsDigit: "\\p{Nd}",
  IsUppercase: "\\p{Lu}",
  IsLowercase: "\\p{Ll}",
};

/** A compiled regular expression. */
export class TextPattern {
  readonly source: string;
  readonly #program: RE2JS;
  readonly #plain: RegExp | undefined;

  constructor(source: string, program: RE2JS, plain: RegExp | undefined) {
    this.source = source;
    this.#program = program;
    this.#plain = plain;
  }

  /** True when the whole text matches. */
  matches(text: string): boolean {
    this.#checkLength(text);
    return this.#program.testExact(text);
  }

  /** True when some part of the text matches. */
  find(text: string): boolean {
    this.#checkLength(text);
    return this.#program.test(text);
  }

  /** The first match and its groups, undefined for a group that did not participate. */
  exec(text: string): readonly (string | undefined)[] | undefined {
    if (!this.#mayMatch(text)) return undefined;
    const matcher = this.#program.matcher(text);
    if (!matcher.find()) return undefined;
    return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined);
  }

  /** Replaces every match; `$1` and `${name}` in the replacement refer to groups, a backslash escapes the next character. */
  replaceAll(text: string, replacement: string): string {
    if (this.#plain !== undefined && !/[$\\]/.test(replacement)) {
      this.#checkLength(text);
      return text.replaceAll(this.#plain, replacement);
    }
    return this.#mayMatch(text) ? checkReplacement(() => this.#program.matcher(text).replaceAll(replacement, true), replacement) : text;
  }

  replaceFirst(text: string, replacement: string): string {
    return this.#mayMatch(text) ? checkReplacement(() => this.#program.matcher(text).replaceFirst(replacement, true), replacement) : text;
  }

  /**
   * The parts between the matches. An empty part before an empty match at the start is dropped, as are trailing empty parts unless `keepEmptyEnd` is
   * set.
   */
  split(text: string, { keepEmptyEnd = false }: { readonly keepEmptyEnd?: boolean } = {}): string[] {
    if (this.#plain !== undefined) {
      const cut = text.split(this.#plain, maxParts + 1);
      checkPartCount(cut.length);
      return keepEmptyEnd ? cut : withoutEmptyEnd(cut, text);
    }
    const parts: string[] = [];
    if (!this.#mayMatch(text)) return [text];
    const matcher = this.#program.matcher(text);
    let from = 0;
    while (matcher.find()) {
      const start = matcher.start();
      const end = matcher.end();
      if (end === 0) continue;
      if (start === end && start >= text.length) break;
      parts.push(text.slice(from, start));
      from = end;
    }
    if (from === 0 && parts.length === 0) return [text];
    parts.push(text.slice(from));
    return keepEmptyEnd ? parts : withoutEmptyEnd(parts, text);
  }

  /** False when the text certainly has no match. Throws when finding its position would take too long. */
  #mayMatch(text: string): boolean {
    const cost = text.length * this.#program.programSize();
    if (cost <= searchLimit / 10) return true;
    if (!this.find(text)) return false;
    if (cost > searchLimit) throw timeLimitError(this.source, text);
    return true;
  }

  #checkLength(text: string): void {
    if (text.length > testLimits.characters || text.length * this.#program.programSize() > testLimits.states) throw timeLimitError(this.source, text);
  }
}

function timeLimitError(source: string, text: string): FlowError {
  return new FlowError(
    "java.lang.IllegalStateException",
    `time limit: the regular expression '${shorten(source)}' is too expensive for ${text.length} characters of text; simplify it or split the text first`,
    { code: "limit-time" },
  );
}

function withoutEmptyEnd(parts: string[], text: string): string[] {
  if (parts.length === 1) return [text];
  while (parts.length > 0 && parts[parts.length - 1] === "") parts.pop();
  return parts;
}

/** Compiles a pattern; throws a FlowError that says what is wrong with it. The last few hundred are cached. */
export function compilePattern(source: string, flags: { readonly ignoreCase?: boolean } = {}): TextPattern {
  const key = flags.ignoreCase === true ? `i${source}` : `-${source}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const plain = flags.ignoreCase !== true && plainPattern.test(source) ? new RegExp(source, "g") : undefined;
  const pattern = new TextPattern(source, build(source, flags.ignoreCase === true), plain);
  if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string);
  cache.set(key, pattern);
  return pattern;
}

function build(source: string, ignoreCase: boolean): RE2JS {
  if (source.length > maxPatternLength) throw patternError(source, `it is longer than ${maxPatternLength} characters`);
  const unsupported = /\(\?(=|!|<=|<!|>)/.exec(withoutQuotedParts(source));
  if (unsupported !== null)
    throw patternError(source, `${unsupported[0]}…) is not supported, because look-around and atomic groups cannot be matched in linear time`);
  if (/(^|[^\\])(\\\\)*\\[1-9]/.test(withoutQuotedParts(source)))
    throw patternError(source, "back-references are not supported, because they cannot be matched in linear time");
  try {
    return compileLinear(fromJava(source), { ignoreCase });
  } catch (cause) {
    throw patternError(source, (cause instanceof Error ? cause.message : String(cause)).replace(/^error parsing regexp: /, ""));
  }
}

function patternError(source: string, reason: string): FlowError {
  return new FlowError("java.lang.IllegalArgumentException", `the regular expression '${shorten(source)}' is invalid: ${reason}`, { code: "pattern-invalid" });
}

const shorten = (source: string): string => (source.length > 80 ? `${source.slice(0, 80)}…` : source);

const withoutQuotedParts = (source: string): string => source.replaceAll(/\\Q[^]*?(?:\\E|$)/g, "");

/** Translates Java syntax to that of the matcher where they differ. */
function fromJava(source: string): string {
  if (!/\\[puhRZ]|[*+?}]\+/.test(source)) return source;
  let result = "";
  let inClass = false;
  let isAfterQuantifier = false;
  for (let at = 0; at < source.length; at++) {
    const char = source[at] as string;
    if (char === "\\" && at + 1 < source.length) {
      const escape = readEscape(source, at, inClass);
      result += escape.text;
      at += escape.length - 1;
      isAfterQuantifier = false;
      continue;
    }
    if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    // Possessive quantifiers only forbid backtracking, which a linear matcher does not do.
    if (char === "+" && !inClass && isAfterQuantifier) {
      isAfterQuantifier = false;
      continue;
    }
    isAfterQuantifier = !inClass && "*+?}".includes(char);
    result += char;
  }
  return result;
}

function readEscape(source: string, at: number, inClass: boolean): { readonly text: string; readonly length: number } {
  const rest = source.slice(at, at + 40);
  if (rest.startsWith("\\Q")) {
    const end = source.indexOf("\\E", at);
    const length = (end < 0 ? source.length : end + 2) - at;
    return { text: source.slice(at, at + length), length };
  }
  const unicode = /^\\u([0-9a-fA-F]{4})/.exec(rest);
  if (unicode !== null) return { text: `\\x{${unicode[1]}}`, length: 6 };
  const property = /^\\p\{(\w+)\}/.exec(rest);
  if (property !== null && Object.hasOwn(posixClasses, property[1] as string)) {
    const members = posixClasses[property[1] as string] as string;
    return { text: inClass ? members : `[${members}]`, length: property[0].length };
  }
  if (rest.startsWith("\\h")) return { text: inClass ? " \\t" : "[ \\t]", length: 2 };
  if (rest.startsWith("\\R") && !inClass) return { text: "(?:\\r\\n|[\\n\\x0B\\f\\r])", length: 2 };
  if (rest.startsWith("\\Z") && !inClass) return { text: "\\n?\\z", length: 2 };
  const length = /^\\[pPxNk]\{[^}]*\}/.exec(rest)?.[0].length ?? 2;
  return { text: source.slice(at, at + length), length };
}

function checkReplacement(replace: () => string, replacement: string): string {
  try {
    return replace();
  } catch (cause) {
    throw new FlowError(
      "java.lang.IllegalArgumentException",
      `the replacement '${replacement}' is invalid: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        code: "pattern-invalid",
        cause,
      },
    );
  }
}
