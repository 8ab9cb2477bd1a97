// Scans raw text: where functions start and end, and where quotes close. Independent of any function.
import { CompileError } from "@sluice/engine/spi";

/** The length of a function's opening (`${` or `$simple{`) at this position, 0 when there is none. */
export function openingAt(text: string, at: number): number {
  if (text.charCodeAt(at) !== 36) return 0;
  if (text.charCodeAt(at + 1) === 123) return 2;
  return text.startsWith("$simple{", at) ? 8 : 0;
}

/** The index of the brace that closes the function whose content starts at `from`; -1 when it is never closed. */
function closingOf(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 125) {
      if (--depth === 0) return at;
    } else if (code === 92 && text.charCodeAt(at + 1) === 125) at++;
    else if (code === 36) {
      const opening = openingAt(text, at);
      if (opening > 0) {
        depth++;
        at += opening - 1;
      }
    }
  }
  return -1;
}

/** The index just after the function that opens at `at`. */
export function endOfFunction(text: string, at: number, offset: number): number {
  const close = closingOf(text, at + openingAt(text, at));
  if (close < 0) throw syntaxError(`the function that starts with '${text.slice(at, at + 20)}' is not closed: a '}' is missing`, offset + at);
  return close + 1;
}

export const hasFunction = (text: string): boolean => text.includes("${") || text.includes("$simple{");

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "}": "}" };

/** The character of an escape sequence at this position; undefined for a plain backslash. */
export function escapeAt(text: string, at: number): string | undefined {
  if (text.charCodeAt(at) !== 92) return undefined;
  const next = text[at + 1];
  return next !== undefined && Object.hasOwn(escapes, next) ? escapes[next] : undefined;
}

/** Text with its escapes resolved. */
export function unescape(text: string): string {
  return text.includes("\\") ? text.replaceAll(/\\([ntr}])/g, (_all, letter: string) => escapes[letter] as string) : text;
}

export const isQuote = (char: string | undefined): boolean => char === "'" || char === '"';
export const isBlank = (char: string | undefined): boolean => char === " " || char === "\t" || char === "\n" || char === "\r";

/** Calls `visit` for each character outside quotes, nested functions and parentheses; stops when it returns true. */
export function scanTopLevel(text: string, offset: number, visit: (at: number, char: string) => boolean): void {
  let quote: string | undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
    } else if (openingAt(text, at) > 0) at = endOfFunction(text, at, offset) - 1;
    else if (isQuote(char)) quote = char;
    else if (char === "(") depth++;
    else if (char === ")") depth--;
    else if (depth <= 0 && visit(at, char)) return;
  }
}

export function syntaxError(message: string, offset: number, hint?: string): CompileError {
  return new CompileError("simple-syntax", message, hint === undefined ? { offset } : { offset, hint });
}
