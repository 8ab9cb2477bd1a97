// Measures the time of one evaluation by reading the clock periodically. The time between two reads counts up to a limit, so that
// a process that was suspended by the system does not fail a cheap expression.
import type { Clock } from "@sluice/engine/spi";

const maxBetweenReadsMs = 50;

export class TimeSpent {
  readonly #clock: Clock;
  #readAt = 0;
  #spentMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#spentMs = 0;
    this.#readAt = this.#clock.monotonic();
  }

  /** Reads the clock: true when more than this time was spent. */
  isOver(limitMs: number): boolean {
    const now = this.#clock.monotonic();
    this.#spentMs += Math.min(now - this.#readAt, maxBetweenReadsMs);
    this.#readAt = now;
    return this.#spentMs > limitMs;
  }
}
