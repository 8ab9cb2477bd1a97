// Prefetched messages: they wait here in order and are processed a few at a time. The broker limits their number.

export interface PrefetchedParts<T> {
  /** How many are processed concurrently. */
  readonly window: number;
  /** Must not reject. */
  work(item: T): Promise<void>;
  /** Returns an item that was not started to the broker. */
  giveBack(item: T): void;
}

export class Prefetched<T> {
  readonly #parts: PrefetchedParts<T>;
  readonly #waiting: T[] = [];
  readonly #working = new Set<Promise<void>>();
  #isStopped = false;

  constructor(parts: PrefetchedParts<T>) {
    this.#parts = parts;
  }

  take(item: T): void {
    if (this.#isStopped) return this.#parts.giveBack(item);
    this.#waiting.push(item);
    this.#next();
  }

  /** Returns items that were not started; resolves when the others are done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const item of this.#waiting.splice(0)) this.#parts.giveBack(item);
    await Promise.all(this.#working);
  }

  #next(): void {
    while (this.#working.size < this.#parts.window) {
      const item = this.#waiting.shift();
      if (item === undefined) return;
      const work = this.#parts.work(item).finally(() => {
        this.#working.delete(work);
        this.#next();
      });
      this.#working.add(work);
    }
  }
}
