import { cancelledError, type Exchange } from "@sluice/engine/spi";

export interface SlotLimits {
  /** Places taken before others wait. */
  readonly normal: number;
  /** Places taken when the line is full. */
  readonly most: number;
  /** How many may wait. */
  readonly line: number;
}

/** A number of places and a line in front of them: first come, first served. */
export class Slots {
  running = 0;
  /** May change while running; places already taken stay taken. */
  limits: SlotLimits;
  readonly #inside = new WeakSet<Exchange>();
  readonly #line: { readonly exchange: Exchange; readonly goIn: () => void }[] = [];

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  holds(exchange: Exchange): boolean {
    return this.#inside.has(exchange);
  }

  /** Takes a place now, later, or not at all. */
  enter(exchange: Exchange): "in" | "full" | Promise<void> {
    const { normal, most, line } = this.limits;
    if (this.running < normal || (this.#line.length >= line && this.running < most)) {
      this.#take(exchange);
      return "in";
    }
    return this.#line.length >= line ? "full" : this.#wait(exchange);
  }

  leave(exchange: Exchange): void {
    if (!this.#inside.delete(exchange)) return;
    this.running--;
    if (this.running < this.limits.normal) this.#line.shift()?.goIn();
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
        goIn: (): void => {
          signal.removeEventListener("abort", giveUp);
          this.#take(exchange);
          resolve();
        },
      };
      const giveUp = (): void => {
        const at = this.#line.indexOf(entry);
        if (at >= 0) this.#line.splice(at, 1);
        reject(cancelledError(signal));
      };
      this.#line.push(entry);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}
