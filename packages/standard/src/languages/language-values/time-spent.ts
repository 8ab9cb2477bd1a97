// How long one evaluation took so far, told by looks at the clock. What passes between two looks counts up to a bound: a process
// that stood still because its machine was busy with others must not fail an expression that does next to nothing.
import type { Clock } from "@sluice/engine/spi";

const mostBetweenLooksMs = 50;

export class TimeSpent {
  readonly #clock: Clock;
  #lookedAt = 0;
  #spentMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#spentMs = 0;
    this.#lookedAt = this.#clock.monotonic();
  }

  /** Looks at the clock: is more than this spent since it began? */
  isOver(limitMs: number): boolean {
    const now = this.#clock.monotonic();
    this.#spentMs += Math.min(now - this.#lookedAt, mostBetweenLooksMs);
    this.#lookedAt = now;
    return this.#spentMs > limitMs;
  }
}
