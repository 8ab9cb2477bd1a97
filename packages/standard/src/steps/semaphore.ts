import type { Exchange } from "@sluice/engine/spi";
import { cancelledError } from "@sluice/engine/tools";

export interface SemaphoreLimits {
  /** Concurrency limit while the queue has space. */
  readonly normal: number;
  /** Concurrency limit when the queue is full. */
  readonly max: number;
  /** Maximum length of the queue. */
  readonly maxWaiting: number;
}

/** Semaphore with a bounded FIFO queue. */
export class Semaphore {
  running = 0;
  #limits: SemaphoreLimits;
  readonly #holders = new WeakSet<Exchange>();
  readonly #queue: { readonly exchange: Exchange; readonly admit: () => void }[] = [];

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /** May change at any time; holders are not affected. When the limit rises, waiting messages are admitted before new ones. */
  set limits(limits: SemaphoreLimits) {
    this.#limits = limits;
    this.#admit();
  }

  holds(exchange: Exchange): boolean {
    return this.#holders.has(exchange);
  }

  /** Acquires a permit now, later (promise), or not at all ("full"). */
  acquire(exchange: Exchange): "acquired" | "full" | Promise<void> {
    const { normal, max, maxWaiting } = this.#limits;
    if (this.running < normal || (this.#queue.length >= maxWaiting && this.running < max)) {
      this.#take(exchange);
      return "acquired";
    }
    return this.#queue.length >= maxWaiting ? "full" : this.#wait(exchange);
  }

  release(exchange: Exchange): void {
    if (!this.#holders.delete(exchange)) return;
    this.running--;
    this.#admit();
  }

  #admit(): void {
    while (this.running < this.#limits.normal && this.#queue.length > 0) this.#queue.shift()?.admit();
  }

  #take(exchange: Exchange): void {
    this.#holders.add(exchange);
    this.running++;
  }

  #wait(exchange: Exchange): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = exchange.run;
      const entry = {
        exchange,
        admit: (): void => {
          signal.removeEventListener("abort", onAbort);
          this.#take(exchange);
          resolve();
        },
      };
      const onAbort = (): void => {
        const at = this.#queue.indexOf(entry);
        if (at >= 0) this.#queue.splice(at, 1);
        reject(cancelledError(signal));
      };
      this.#queue.push(entry);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
