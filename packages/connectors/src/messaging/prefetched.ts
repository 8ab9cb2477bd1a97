// Prefetched messages: they wait here in order and are processed a few at a time. The broker limits their number.
import type { Awaitable } from "@sluice/engine/spi";

export interface PrefetchedParts<T> {
  /** How many items are processed concurrently. */
  readonly window: number;
  /** Must not reject. */
  work(item: T): Awaitable;
  /** Returns an item that was not started to the broker. */
  release(item: T): void;
}

export class Prefetched<T> {
  readonly #parts: PrefetchedParts<T>;
  readonly #waiting: T[] = [];
  #working = 0;
  #isStopped = false;
  readonly #whenIdle: (() => void)[] = [];

  constructor(parts: PrefetchedParts<T>) {
    this.#parts = parts;
  }

  take(item: T): void {
    if (this.#isStopped) return this.#parts.release(item);
    this.#waiting.push(item);
    this.#next();
  }

  /** Returns items that were not started; resolves when the others are done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const item of this.#waiting.splice(0)) this.#parts.release(item);
    if (this.#working > 0) await new Promise<void>((resolve) => void this.#whenIdle.push(resolve));
  }

  /** Items whose work is synchronous are processed in this loop, without a promise. */
  #next(): void {
    while (this.#working < this.#parts.window && this.#waiting.length > 0) {
      this.#working++;
      const pending = this.#parts.work(this.#waiting.shift() as T);
      if (pending === undefined) this.#working--;
      else void pending.then(() => this.#done());
    }
  }

  #done(): void {
    this.#working--;
    this.#next();
    if (this.#working === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
