/** How long pipelined requests may run before the event loop serves other connections. */
const sliceMs = 5;

/**
 * Runs deferred work in order, a few milliseconds per iteration of the event loop, so that clients that do not pipeline are served in
 * between.
 */
export class TimeSlicedQueue {
  #waiting: (() => void)[] = [];
  #isScheduled = false;

  add(work: () => void): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runSlice());
  }

  #runSlice(): void {
    this.#isScheduled = false;
    const until = performance.now() + sliceMs;
    const { length } = this.#waiting;
    let done = 0;
    try {
      // Work added during this slice waits for the next one.
      while (done < length && performance.now() < until) (this.#waiting[done++] as () => void)();
    } finally {
      this.#waiting = this.#waiting.slice(done);
      if (this.#waiting.length > 0) this.#schedule();
    }
  }
}
