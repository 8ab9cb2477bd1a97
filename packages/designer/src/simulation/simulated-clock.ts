// The clock of a simulation. It follows real time, but never waits for a timer: when no other work is left, it jumps to the next one. Events happen
// in the same order as in real time.
import type { Clock } from "@sluice/engine";

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

/** How far a simulation may advance, and how many timers it may fire. */
const maxAheadMs = 3_600_000;
const maxTimers = 20_000;

export class SimulatedClock implements Clock {
  #skipped = 0;
  #fired = 0;
  #order = 0;
  #yields = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return Math.round(Date.now() + this.#skipped);
  }

  monotonic(): number {
    return performance.now() + this.#skipped;
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { due: this.monotonic() + Math.max(0, ms), order: this.#order++, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  async yieldToEventLoop(): Promise<void> {
    this.#yields++;
    await turn();
    this.#yields--;
  }

  /** Runs until `isDone` returns true; false when nothing more would happen within `aheadMs`, or the limit was reached. */
  async runUntil(isDone: () => boolean, aheadMs = maxAheadMs): Promise<boolean> {
    const until = this.monotonic() + aheadMs;
    for (;;) {
      // One turn of the event loop: all pending promise callbacks have run.
      await turn();
      if (isDone()) return true;
      if (this.#yields > 0) continue;
      const next = this.#earliest();
      if (next === undefined || next.due > until || this.#fired++ > maxTimers || this.#skipped > maxAheadMs) return false;
      this.#timers.delete(next);
      this.#skipped += Math.max(0, next.due - this.monotonic());
      next.run();
    }
  }

  #earliest(): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers)
      if (earliest === undefined || timer.due < earliest.due || (timer.due === earliest.due && timer.order < earliest.order)) earliest = timer;
    return earliest;
  }
}

/** The next turn of the event loop; nested timers would be throttled by the browser. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
