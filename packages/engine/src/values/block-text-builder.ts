const partsPerBlock = 1_000;

/** Builds long text incrementally. Parts are joined in blocks, because joining all of them at the end would take too long. */
export class BlockTextBuilder {
  readonly #blocks: string[] = [];
  readonly #check: (length: number) => void;
  #parts: string[] = [];
  #length = 0;

  /** `check` is called with the length after each block, and may throw when the text is too long. */
  constructor(check: (length: number) => void = () => undefined) {
    this.#check = check;
  }

  /** Whether a block should be finished, which is a good moment to yield. */
  get isFull(): boolean {
    return this.#parts.length >= partsPerBlock;
  }

  add(part: string): void {
    this.#parts.push(part);
  }

  finishBlock(): undefined {
    const block = this.#parts.join("");
    this.#parts = [];
    this.#check((this.#length += block.length));
    this.#blocks.push(block);
  }

  end(): string {
    this.finishBlock();
    return this.#blocks.join("");
  }
}
