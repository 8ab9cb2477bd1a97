// Calls back at planned times of the monotonic clock. One tick is over before the next begins; what was missed while the
// process stood still is skipped, never made up for in a burst.
import type { Awaitable, Clock } from "@sluice/engine/spi";

export interface Plan {
  /** When the first tick is due, monotonic milliseconds. */
  first(now: number): number;
  /** When the next one is, given when this one was due, began and ended; undefined when that was the last. A time that is past means at once. */
  next(tick: { readonly due: number; readonly began: number; readonly ended: number; readonly count: number }): number | undefined;
}

/** Longer waits are cut in pieces: timers of Node overflow after 24 days. */
const longestWaitMs = 3_600_000;
/** Node's timers may ring this much early. */
const toleranceMs = 1;

export class Ticker {
  readonly #clock: Clock;
  readonly #plan: Plan;
  readonly #tick: (count: number) => Awaitable<unknown>;
  #cancel: (() => void) | undefined = undefined;
  /** Ticks of an earlier start end here: each start has its own number. */
  #era = 0;

  constructor(clock: Clock, plan: Plan, tick: (count: number) => Awaitable<unknown>) {
    this.#clock = clock;
    this.#plan = plan;
    this.#tick = tick;
  }

  start(): void {
    this.stop();
    this.#arm(this.#plan.first(this.#clock.monotonic()), 1, this.#era);
  }

  stop(): void {
    this.#era++;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(due: number, count: number, era: number): void {
    const wait = due - this.#clock.monotonic();
    if (wait <= 0) {
      // Back to back, but never without letting others have a turn.
      void this.#clock.breathe().then(() => (era === this.#era ? this.#fire(due, count, era) : undefined));
      return;
    }
    this.#cancel = this.#clock.after(Math.min(wait, longestWaitMs), () => {
      if (era !== this.#era) return;
      if (this.#clock.monotonic() < due - toleranceMs) this.#arm(due, count, era);
      else this.#fire(due, count, era);
    });
  }

  #fire(due: number, count: number, era: number): void {
    const began = this.#clock.monotonic();
    const over = (): void => {
      if (era !== this.#era) return;
      const next = this.#plan.next({ due, began, ended: this.#clock.monotonic(), count });
      if (next !== undefined) this.#arm(next, count + 1, era);
    };
    const result = this.#tick(count);
    if (result instanceof Promise) void result.then(over, over);
    else over();
  }
}

/** A period on a fixed grid; grid points that have passed are skipped. */
export function nextOnGrid(due: number, period: number, now: number): number {
  const next = due + period;
  return next >= now ? next : due + (Math.floor((now - due) / period) + 1) * period;
}
