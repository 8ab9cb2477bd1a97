// Interrupted long work waits here for the next event loop turn. Node runs all `setImmediate` callbacks in one turn, so a run with many waiting
// branches would block the event loop for one slice per branch. Here a turn ends after one slice.

/** Total time of the waiters resumed in one turn; at least one is resumed. */
const sliceMs = 10;

export class TurnQueue {
  #arriving: (() => void)[] = [];
  #due: (() => void)[] = [];
  #next = 0;
  #scheduled = false;

  /** Resolves in a later event loop turn, in call order. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#arriving.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      // New waiters have to wait for another turn.
      if (this.#next >= this.#due.length) {
        [this.#due, this.#arriving] = [this.#arriving, []];
        this.#next = 0;
      }
      this.#resume(performance.now());
    });
  }

  #resume(began: number): void {
    const resolve = this.#due[this.#next++];
    resolve?.();
    // Resumed work runs in a microtask before this one.
    queueMicrotask(() => {
      if (this.#next < this.#due.length && performance.now() - began < sliceMs) return this.#resume(began);
      this.#scheduled = false;
      if (this.#next < this.#due.length || this.#arriving.length > 0) this.#schedule();
    });
  }
}
