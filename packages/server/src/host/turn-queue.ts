// Long-running work waits in this queue for the next turn of the event loop. Node runs all `setImmediate` callbacks in one turn, so a run with
// many waiting branches would block the event loop for one slice per branch. This queue resumes waiters for only one slice per turn.

/** Total time of the waiters resumed in one turn; at least one waiter is resumed. */
const sliceMs = 10;

export class TurnQueue {
  #nextTurn: (() => void)[] = [];
  #currentTurn: (() => void)[] = [];
  #next = 0;
  #scheduled = false;

  /** Resolves in a later event loop turn, in call order. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#nextTurn.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      // New waiters have to wait for another turn.
      if (this.#next >= this.#currentTurn.length) {
        [this.#currentTurn, this.#nextTurn] = [this.#nextTurn, []];
        this.#next = 0;
      }
      this.#resume(performance.now());
    });
  }

  #resume(startedAt: number): void {
    const resolve = this.#currentTurn[this.#next++];
    resolve?.();
    // The resumed work runs in an earlier microtask.
    queueMicrotask(() => {
      if (this.#next < this.#currentTurn.length && performance.now() - startedAt < sliceMs) return this.#resume(startedAt);
      this.#scheduled = false;
      if (this.#next < this.#currentTurn.length || this.#nextTurn.length > 0) this.#schedule();
    });
  }
}
