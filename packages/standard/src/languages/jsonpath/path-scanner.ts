import { CompileError } from "@sluice/engine/spi";
import type { Text } from "./path-tree.ts";

const markerStart = "\uE000";
const markerEnd = "\uE001";
const maxDisplayLength = 200;

/** Scans a path and reports errors with their position. */
export class PathScanner {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  get ended(): boolean {
    return this.position >= this.text.length;
  }

  peek(ahead = 0): string {
    return this.text.charAt(this.position + ahead);
  }

  skipBlanks(): void {
    while (!this.ended && /\s/.test(this.peek())) this.position++;
  }

  /** Consumes `word` if it is at this position. */
  take(word: string): boolean {
    if (!this.text.startsWith(word, this.position)) return false;
    this.position += word.length;
    return true;
  }

  expect(word: string): void {
    if (!this.take(word)) throw this.error(`expected '${word}'${this.ended ? " but the path ends" : ` but found '${this.peek()}'`}`);
  }

  /** Consumes the match of the sticky pattern at this position. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.position += found[0].length;
    return found[0];
  }

  /** A quoted string with its escapes resolved. */
  quoted(): Text {
    const quote = this.peek();
    const start = this.position++;
    let text = "";
    for (;;) {
      if (this.ended) throw this.error("the string is not closed", start);
      const character = this.text.charAt(this.position++);
      if (character === quote) return toText(text);
      text += character === "\\" ? this.escape() : character;
    }
  }

  escape(): string {
    const character = this.text.charAt(this.position++);
    if (character === "u") {
      const code = this.match(/[0-9a-fA-F]{4}/y);
      if (code === undefined) throw this.error("\\u needs four hexadecimal digits");
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
    return Object.hasOwn(escapes, character) ? (escapes[character] as string) : character;
  }

  error(message: string, offset = this.position): CompileError {
    return new CompileError("jsonpath-syntax", `jsonpath '${displayText(this.text)}': ${message}`, { offset });
  }
}

/** Extracts the `${…}` parts of a path and replaces them with numbered markers that the parser reads as strings. */
export function extractPlaceholders(text: string): { readonly marked: string; readonly placeholders: readonly string[] } {
  const placeholders: string[] = [];
  let marked = "";
  let position = 0;
  for (;;) {
    const start = text.indexOf("${", position);
    if (start < 0) return { marked: marked + text.slice(position), placeholders };
    let depth = 0;
    let end = start + 1;
    for (; end < text.length; end++) {
      if (text.charAt(end) === "{") depth++;
      else if (text.charAt(end) === "}" && --depth === 0) break;
    }
    if (end >= text.length) throw new CompileError("jsonpath-syntax", `jsonpath '${displayText(text)}': '\${' is not closed`, { offset: start });
    marked += `${text.slice(position, start)}${markerStart}${placeholders.length}${markerEnd}`;
    placeholders.push(text.slice(start, end + 1));
    position = end + 1;
  }
}

/** Splits a string at the markers of `extractPlaceholders`; each marker becomes the number of its `${…}`. */
export function toText(text: string): Text {
  if (!text.includes(markerStart)) return { parts: [text] };
  const parts: (string | number)[] = [];
  for (const piece of text.split(/(\uE000\d+\uE001)/)) if (piece !== "") parts.push(piece.startsWith(markerStart) ? Number(piece.slice(1, -1)) : piece);
  return { parts };
}

/** The path for an error message: shortened, with `${…}` in place of the markers. */
function displayText(text: string): string {
  const display = text.replaceAll(/\uE000\d+\uE001/g, "${…}");
  return display.length > maxDisplayLength ? `${display.slice(0, maxDisplayLength)}…` : display;
}
