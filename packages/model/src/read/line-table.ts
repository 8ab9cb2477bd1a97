import type { Span } from "../flow/span.ts";

/** Converts character offsets of one text to lines and columns. */
export class LineTable {
  readonly #starts: number[] = [0];
  readonly #length: number;
  readonly #skipped: number;

  /** `skipped` is the number of characters before `text` in the document: a byte order mark, which takes no column. */
  constructor(text: string, skipped = 0) {
    this.#length = text.length;
    this.#skipped = skipped;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  /** The span of `text` from `start` to `end`; its offsets count from the start of the document. */
  span(start: number, end: number): Span {
    const from = Math.min(start, this.#length);
    const to = Math.min(Math.max(from, end), this.#length);
    const first = this.#lineOf(from);
    const last = this.#lineOf(to);
    return {
      line: first + 1,
      column: from - (this.#starts[first] as number) + 1,
      endLine: last + 1,
      endColumn: to - (this.#starts[last] as number) + 1,
      start: from + this.#skipped,
      end: to + this.#skipped,
    };
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
