/** Maximum size of the buffered text. */
const maxBytes = 256 * 1024;

/** Buffers the end of the written text, in whole batches, so that there is no cost per line. */
export class RecentText {
  #batches: Buffer[] = [];
  #size = 0;

  add(bytes: Buffer): void {
    const isLarge = bytes.length > maxBytes;
    if (isLarge) [this.#batches, this.#size] = [[], 0];
    // Copy the end of a large batch: a view would keep all of it in memory.
    const end = isLarge ? Buffer.from(bytes.subarray(bytes.indexOf(10, bytes.length - maxBytes) + 1)) : bytes;
    this.#batches.push(end);
    this.#size += end.length;
    let oldest = 0;
    while (this.#size > maxBytes) this.#size -= (this.#batches[oldest++] as Buffer).length;
    if (oldest > 0) this.#batches = this.#batches.slice(oldest);
  }

  lines(): readonly string[] {
    return Buffer.concat(this.#batches).toString("utf8").split("\n").slice(0, -1);
  }
}
