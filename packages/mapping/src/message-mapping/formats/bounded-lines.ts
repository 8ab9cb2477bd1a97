import { checkTextLength } from "@sluice/engine/values";

/** Collects lines into one string within the size limit: a short rule can produce very long lines. */
export class BoundedLines {
  readonly #lines: string[] = [];
  readonly #lineBreak: string;
  #length = 0;

  constructor(lineBreak: string) {
    this.#lineBreak = lineBreak;
  }

  add(line: string): void {
    this.#length += line.length + this.#lineBreak.length;
    checkTextLength(this.#length);
    this.#lines.push(line);
  }

  get count(): number {
    return this.#lines.length;
  }

  toText(): string {
    return this.#lines.length === 0 ? "" : this.#lines.join(this.#lineBreak) + this.#lineBreak;
  }
}
