// Reads the YAML most flows are written in, many times as fast as the library: short ASCII texts of block and flow collections,
// each value on one line. It takes only what it is certain to read as the library does; all else, every fault among it, is left to that.
import type { Span } from "../flow/span.ts";
import type { MapEntry, Tree } from "../flow/tree.ts";
import type { LineTable } from "./line-table.ts";
import type { ReadLimits } from "./limits.ts";

/** Nesting beyond this is for the library, which knows the limit and says so. */
const deepest = 20;
/** Comments above everything; among values they would decide where those end. */
const opening = /(?:#[^\n]*\n|\n)*/y;
const ascii = /^[\n\x20-\x7e]*$/;
const key = /([A-Za-z_][\w.-]*):(?= |\n|$)/y;
const quotedText = /"[^"\\\n]*"|'[^'\n]*'/y;
const blockText = /[A-Za-z0-9_$/.(](?:[^\n :#]|:(?=[^ \n])|#| +(?=[^ #\n:]))*/y;
const flowText = /[A-Za-z0-9_$/.(](?:[^\n :#,[\]{}]|:(?=[^ \n,[\]{}])|#| +(?=[^ #\n:,[\]{}]))*/y;

/** The tree of a text of this plain kind; undefined for any other. */
export function readPlainText(text: string, lines: LineTable, limits: ReadLimits): Tree | undefined {
  // A text shorter than these limits cannot exceed them, so nothing has to be counted.
  if (text.length > Math.min(limits.bytes, limits.keys, limits.nodes, limits.tokens) || limits.depth < deepest || !ascii.test(text)) return undefined;
  return new PlainReader(text, lines).read();
}

class PlainReader {
  readonly #text: string;
  readonly #lines: LineTable;
  #at = 0;
  /** Where the line begins that is read next. */
  #lineStart = 0;
  /** The column of its first character; -1 when there is no more line. */
  #column = 0;
  #depth = 0;

  constructor(text: string, lines: LineTable) {
    this.#text = text;
    this.#lines = lines;
  }

  read(): Tree | undefined {
    this.#match(opening);
    const tree = this.#block(0);
    return this.#column === -1 ? tree : undefined;
  }

  /** Every collection comes by here. */
  #nested(read: () => Tree | undefined): Tree | undefined {
    if (this.#depth === deepest) return undefined;
    this.#depth++;
    const tree = read();
    this.#depth--;
    return tree;
  }

  #block(column: number): Tree | undefined {
    return this.#nested(() => (this.#sees("-") ? this.#list(column) : this.#map(column)));
  }

  #list(column: number): Tree | undefined {
    const start = this.#at;
    const items: Tree[] = [];
    do {
      const dash = this.#at++;
      if (!this.#sees(" ")) return undefined;
      this.#skipBlanks();
      const inner = column + this.#at - dash;
      const item = this.#startsKey() ? this.#nested(() => this.#map(inner)) : this.#value();
      if (item === undefined || this.#column > column) return undefined;
      items.push(item);
    } while (this.#column === column && this.#sees("-"));
    return { type: "list", items, span: this.#span(start, this.#lineStart) };
  }

  #map(column: number): Tree | undefined {
    const start = this.#at;
    const entries: MapEntry[] = [];
    do {
      const name = this.#key(entries);
      if (name === undefined) return undefined;
      const value = this.#sees(" ") ? this.#value() : this.#valueBelow(column);
      if (value === undefined || this.#column > column) return undefined;
      entries.push({ ...name, value });
    } while (this.#column === column);
    return { type: "map", entries, span: this.#span(start, this.#lineStart) };
  }

  /** The key at this place; undefined when there is none or it was there before. */
  #key(before: readonly MapEntry[]): { key: string; keySpan: Span } | undefined {
    const start = this.#at;
    const name = this.#match(key)?.slice(0, -1);
    if (name === undefined || name === "null" || before.some((entry) => entry.key === name)) return undefined;
    return { key: name, keySpan: this.#span(start, this.#at - 1) };
  }

  #startsKey(): boolean {
    key.lastIndex = this.#at;
    return key.test(this.#text);
  }

  /** A collection on the lines below a key: deeper, or a list right under it. */
  #valueBelow(column: number): Tree | undefined {
    if (!this.#endLine()) return undefined;
    return this.#column > column || (this.#column === column && this.#sees("-")) ? this.#block(this.#column) : undefined;
  }

  /** A value that takes the rest of the line. */
  #value(): Tree | undefined {
    this.#skipBlanks();
    const value = this.#isFlow() ? this.#flow() : this.#scalar(blockText);
    return value !== undefined && this.#endLine() ? value : undefined;
  }

  #isFlow(): boolean {
    return this.#sees("{") || this.#sees("[");
  }

  #flow(): Tree | undefined {
    return this.#nested(() => (this.#sees("{") ? this.#flowMap() : this.#flowList()));
  }

  #flowValue(): Tree | undefined {
    return this.#isFlow() ? this.#flow() : this.#scalar(flowText);
  }

  #flowMap(): Tree | undefined {
    const start = this.#at;
    const entries: MapEntry[] = [];
    const isWhole = this.#members("}", () => {
      const name = this.#key(entries);
      if (name === undefined) return false;
      this.#skipBlanks();
      const value = this.#flowValue();
      if (value === undefined) return false;
      entries.push({ ...name, value });
      return true;
    });
    return isWhole ? { type: "map", entries, span: this.#span(start, this.#at) } : undefined;
  }

  #flowList(): Tree | undefined {
    const start = this.#at;
    const items: Tree[] = [];
    const isWhole = this.#members("]", () => {
      const item = this.#flowValue();
      if (item === undefined) return false;
      items.push(item);
      return true;
    });
    return isWhole ? { type: "list", items, span: this.#span(start, this.#at) } : undefined;
  }

  /** From the opening bracket to behind the closing one. */
  #members(closing: string, readMember: () => boolean): boolean {
    this.#at++;
    this.#skipBlanks();
    if (!this.#sees(closing)) {
      for (;;) {
        if (!readMember()) return false;
        this.#skipBlanks();
        if (!this.#sees(",")) break;
        this.#at++;
        this.#skipBlanks();
      }
      if (!this.#sees(closing)) return false;
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

  /** Goes to the first character of the next line; false when more is on this one, or the next one is blank or a comment. */
  #endLine(): boolean {
    if (this.#at < this.#text.length && !this.#sees("\n")) return false;
    this.#lineStart = Math.min(this.#at + 1, this.#text.length);
    this.#at = this.#lineStart;
    this.#skipBlanks();
    const isEnd = this.#lineStart === this.#text.length;
    this.#column = isEnd ? -1 : this.#at - this.#lineStart;
    return isEnd || !(this.#at === this.#text.length || this.#sees("\n") || this.#sees("#"));
  }

  #sees(character: string): boolean {
    return this.#text.charCodeAt(this.#at) === character.charCodeAt(0);
  }

  #skipBlanks(): void {
    while (this.#sees(" ")) this.#at++;
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
