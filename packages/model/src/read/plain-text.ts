// A fast reader for the YAML most flows use: short ASCII documents of block and flow collections, each value on one line. It accepts only what it
// reads exactly as the library does; everything else, including all errors, is left to the library.
import type { Span } from "../flow/span.ts";
import type { MapEntry, Tree } from "../flow/tree.ts";
import type { LineTable } from "./line-table.ts";
import type { ReadLimits } from "./limits.ts";

/** Deeper nesting is left to the library, which reports the limit. */
const maxDepth = 20;
/** Comments are accepted only at the top: between values, they would change where the values end. */
const leadingComments = /(?:#[^\n]*\n|\n)*/y;
const ascii = /^[\n\x20-\x7e]*$/;
const key = /([A-Za-z_][\w.-]*):(?= |\n|$)/y;
const quotedText = /"[^"\\\n]*"|'[^'\n]*'/y;
const blockText = /[A-Za-z0-9_$/.(](?:[^\n :#]|:(?=[^ \n])|#| +(?=[^ #\n:]))*/y;
const flowText = /[A-Za-z0-9_$/.(](?:[^\n :#,[\]{}]|:(?=[^ \n,[\]{}])|#| +(?=[^ #\n:,[\]{}]))*/y;

/** The tree of a document that this reader accepts; undefined for any other. */
export function readPlainText(text: string, lines: LineTable, limits: ReadLimits): Tree | undefined {
  // A document shorter than these limits cannot exceed them, so nothing needs to be counted.
  if (text.length > Math.min(limits.bytes, limits.keys, limits.nodes, limits.tokens) || limits.depth < maxDepth || !ascii.test(text)) return undefined;
  return new PlainReader(text, lines).read();
}

class PlainReader {
  readonly #text: string;
  readonly #lines: LineTable;
  #at = 0;
  /** The start of the next line to read. */
  #lineStart = 0;
  /** The column of its first character; -1 at the end of the text. */
  #column = 0;
  #depth = 0;

  constructor(text: string, lines: LineTable) {
    this.#text = text;
    this.#lines = lines;
  }

  read(): Tree | undefined {
    this.#match(leadingComments);
    const tree = this.#block(0);
    return this.#column === -1 ? tree : undefined;
  }

  /** Reads a collection one level deeper; undefined beyond the depth limit. */
  #withDepth(read: () => Tree | undefined): Tree | undefined {
    if (this.#depth === maxDepth) return undefined;
    this.#depth++;
    const tree = read();
    this.#depth--;
    return tree;
  }

  #block(column: number): Tree | undefined {
    return this.#withDepth(() => (this.#isAt("-") ? this.#list(column) : this.#map(column)));
  }

  #list(column: number): Tree | undefined {
    const start = this.#at;
    const items: Tree[] = [];
    do {
      const dash = this.#at++;
      if (!this.#isAt(" ")) return undefined;
      this.#skipBlanks();
      const inner = column + this.#at - dash;
      const item = this.#startsKey() ? this.#withDepth(() => this.#map(inner)) : this.#value();
      if (item === undefined || this.#column > column) return undefined;
      items.push(item);
    } while (this.#column === column && this.#isAt("-"));
    return { type: "list", items, span: this.#span(start, this.#lineStart) };
  }

  #map(column: number): Tree | undefined {
    const start = this.#at;
    const entries: MapEntry[] = [];
    const keys = new Set<string>();
    do {
      const name = this.#key(keys);
      if (name === undefined) return undefined;
      const value = this.#isAt(" ") ? this.#value() : this.#valueBelow(column);
      if (value === undefined || this.#column > column) return undefined;
      entries.push({ ...name, value });
    } while (this.#column === column);
    return { type: "map", entries, span: this.#span(start, this.#lineStart) };
  }

  /** The key at this position; undefined when there is none or it is a duplicate. */
  #key(previousKeys: Set<string>): { key: string; keySpan: Span } | undefined {
    const start = this.#at;
    const name = this.#match(key)?.slice(0, -1);
    if (name === undefined || name === "null" || previousKeys.has(name)) return undefined;
    previousKeys.add(name);
    return { key: name, keySpan: this.#span(start, this.#at - 1) };
  }

  #startsKey(): boolean {
    key.lastIndex = this.#at;
    return key.test(this.#text);
  }

  /** A collection on the lines below a key: indented deeper, or a list at the same indentation. */
  #valueBelow(column: number): Tree | undefined {
    if (!this.#endLine()) return undefined;
    return this.#column > column || (this.#column === column && this.#isAt("-")) ? this.#block(this.#column) : undefined;
  }

  /** A value that takes the rest of the line. */
  #value(): Tree | undefined {
    this.#skipBlanks();
    const value = this.#isFlow() ? this.#flow() : this.#scalar(blockText);
    return value !== undefined && this.#endLine() ? value : undefined;
  }

  #isFlow(): boolean {
    return this.#isAt("{") || this.#isAt("[");
  }

  #flow(): Tree | undefined {
    return this.#withDepth(() => (this.#isAt("{") ? this.#flowMap() : this.#flowList()));
  }

  #flowValue(): Tree | undefined {
    return this.#isFlow() ? this.#flow() : this.#scalar(flowText);
  }

  #flowMap(): Tree | undefined {
    const start = this.#at;
    const entries: MapEntry[] = [];
    const keys = new Set<string>();
    const isComplete = this.#members("}", () => {
      const name = this.#key(keys);
      if (name === undefined) return false;
      this.#skipBlanks();
      const value = this.#flowValue();
      if (value === undefined) return false;
      entries.push({ ...name, value });
      return true;
    });
    return isComplete ? { type: "map", entries, span: this.#span(start, this.#at) } : undefined;
  }

  #flowList(): Tree | undefined {
    const start = this.#at;
    const items: Tree[] = [];
    const isComplete = this.#members("]", () => {
      const item = this.#flowValue();
      if (item === undefined) return false;
      items.push(item);
      return true;
    });
    return isComplete ? { type: "list", items, span: this.#span(start, this.#at) } : undefined;
  }

  /** Reads from the opening bracket to after the closing one. */
  #members(closing: string, readMember: () => boolean): boolean {
    this.#at++;
    this.#skipBlanks();
    if (!this.#isAt(closing)) {
      for (;;) {
        if (!readMember()) return false;
        this.#skipBlanks();
        if (!this.#isAt(",")) break;
        this.#at++;
        this.#skipBlanks();
      }
      if (!this.#isAt(closing)) return false;
    }
    this.#at++;
    return true;
  }

  #scalar(plain: RegExp): Tree | undefined {
    const start = this.#at;
    const quoted = this.#match(quotedText);
    if (quoted !== undefined) return { type: "scalar", text: quoted.slice(1, -1), quoted: true, span: this.#span(start, this.#at) };
    const text = this.#match(plain);
    if (text === undefined) return undefined;
    return { type: "scalar", text: text === "null" ? null : text, quoted: false, span: this.#span(start, this.#at) };
  }

  /** Moves to the first character of the next line; false when this line has more content, or the next one is blank or a comment. */
  #endLine(): boolean {
    if (this.#at < this.#text.length && !this.#isAt("\n")) return false;
    this.#lineStart = Math.min(this.#at + 1, this.#text.length);
    this.#at = this.#lineStart;
    this.#skipBlanks();
    const isEnd = this.#lineStart === this.#text.length;
    this.#column = isEnd ? -1 : this.#at - this.#lineStart;
    return isEnd || !(this.#at === this.#text.length || this.#isAt("\n") || this.#isAt("#"));
  }

  #isAt(character: string): boolean {
    return this.#text.charCodeAt(this.#at) === character.charCodeAt(0);
  }

  #skipBlanks(): void {
    while (this.#isAt(" ")) this.#at++;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #span(start: number, end: number): Span {
    return this.#lines.span(start, end);
  }
}
