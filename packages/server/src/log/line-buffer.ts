/** A line whose text is created when it is written, because creating the texts of a whole batch at once is much cheaper. */
export interface UnwrittenLine {
  /** Approximate length. */
  readonly size: number;
  text(): string;
}

/** Lines that have not been written. Their size is limited: further lines are dropped and counted. */
export class LineBuffer {
  /** Dropped lines that have not been reported. */
  dropped = 0;
  readonly #maxBytes: number;
  readonly #droppedLine: (count: number) => string;
  #lines: (UnwrittenLine | string)[] = [];
  #bytes = 0;

  /** `droppedLine` creates the line that reports dropped lines. */
  constructor(maxBytes: number, droppedLine: (count: number) => string) {
    this.#maxBytes = maxBytes;
    this.#droppedLine = droppedLine;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  add(line: UnwrittenLine | string): void {
    const size = typeof line === "string" ? line.length : line.size;
    if (this.#bytes + size > this.#maxBytes) {
      this.dropped++;
      return;
    }
    this.#lines.push(line);
    this.#bytes += size;
  }

  addFirst(line: string): void {
    this.#lines.unshift(line);
  }

  texts(): readonly string[] {
    return this.#lines.map(textOf);
  }

  /** Removes all lines and returns their text. */
  take(): Buffer {
    if (this.dropped > 0) {
      this.#lines.push(this.#droppedLine(this.dropped));
      this.dropped = 0;
    }
    // Concatenate into one string: it is flattened once, when it is encoded.
    let text = "";
    for (const line of this.#lines) text += `${textOf(line)}\n`;
    this.#lines = [];
    this.#bytes = 0;
    return Buffer.from(text);
  }
}

const textOf = (line: UnwrittenLine | string): string => (typeof line === "string" ? line : line.text());
