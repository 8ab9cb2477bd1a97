/** Splits a stream of bytes into lines, without their line endings. */
export class LineSplitter {
  readonly #decoder = new TextDecoder();
  readonly #maxLine: number;
  #rest = "";

  constructor(maxLine: number) {
    this.#maxLine = maxLine;
  }

  /** Returns the lines that this chunk completes. Throws a RangeError when a line is longer than allowed. */
  push(chunk: Uint8Array): readonly string[] {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = lines.pop() as string;
    if (this.#rest.length > this.#maxLine || lines.some((line) => line.length > this.#maxLine))
      throw new RangeError(`a line is longer than ${this.#maxLine} characters`);
    return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  }
}
