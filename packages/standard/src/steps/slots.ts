import type { Exchange } from "@sluice/engine/spi";
import { cancelledError } from "@sluice/engine/tools";

export interface SlotLimits {
  /** Concurrency limit before others wait. */
  readonly normal: number;
  /** Concurrency limit when the queue is full. */
  readonly max: number;
  /** Queue length. */
  readonly maxWaiting: number;
}

/** Semaphore with a bounded FIFO queue. */
export class Slots {
  running = 0;
  /** May change at any time; occupied slots are not affected. */
  limits: SlotLimits;
  readonly #inside = new WeakSet<Exchange>();
  readonly #queue: { readonly exchange: Exchange; readonly enterNow: () => void }[] = [];

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  holds(exchange: Exchange): boolean {
    return this.#inside.has(exchange);
  }

  /** Takes a slot now, later (promise), or not at all ("full"). */
  enter(exchange: Exchange): "in" | "full" | Promise<void> {
    const { normal, max, maxWaiting } = this.limits;
    if (this.running < normal || (this.#queue.length >= maxWaiting && this.running < max)) {
      this.#take(exchange);
      return "in";
    }
    return this.#queue.length >= maxWaiting ? "full" : this.#wait(exchange);
  }

  leave(exchange: Exchange): void {
    if (!this.#inside.delete(exchange)) return;
    this.running--;
    if (this.running < this.limits.normal) this.#queue.shift()?.enterNow();
  }

  #take(exchange: Exchange): void {
    this.#inside.add(exchange);
    this.running++;
  }

  #wait(exchange: Exchange): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = exchange.run;
      const entry = {
        exchange,
        enterNow: (): void => {
          signal.removeEventListener("abort", giveUp);
          this.#take(exchange);
          resolve();
        },
      };
      const giveUp = (): void => {
        const at = this.#queue.indexOf(entry);
        if (at >= 0) this.#queue.splice(at, 1);
        reject(cancelledError(signal));
      };
      this.#queue.push(entry);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}
