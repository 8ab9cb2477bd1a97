import type { Span } from "../flow/span.ts";

const byteOrderMark = 0xfeff;

/** Turns character offsets of one text into lines and columns. A byte order mark takes no column. */
export class LineTable {
  readonly #starts: number[] = [0];
  readonly #marked: boolean;
  readonly #length: number;

  constructor(source: string) {
    this.#marked = source.charCodeAt(0) === byteOrderMark;
    this.#length = source.length;
    for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  span(start: number, end: number): Span {
    const from = Math.min(start, this.#length);
    const to = Math.min(Math.max(from, end), this.#length);
    const first = this.#lineOf(from);
    const last = this.#lineOf(to);
    return { line: first + 1, column: this.#columnOf(from, first), endLine: last + 1, endColumn: this.#columnOf(to, last), start: from, end: to };
  }

  #columnOf(offset: number, line: number): number {
    const column = offset - (this.#starts[line] as number) + 1;
    return line === 0 && this.#marked ? Math.max(1, column - 1) : column;
  }

  #lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
