/** When messages of one group may go: each permit returns one period after it was used. */
export class Permits {
  readonly #periodMs: number;
  /** The times at which the latest messages go or went, in order. */
  readonly #times: number[] = [];

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Milliseconds until one more message may go. */
  waitFor(limit: number, now: number): number {
    const blocking = this.#times[this.#times.length - limit];
    return blocking === undefined ? 0 : Math.max(0, blocking + this.#periodMs - now);
  }

  /** Lets a message go at `at`. Only the last `limit` times and those still to come can hold anybody back. */
  take(limit: number, at: number, now: number): void {
    this.#times.push(at);
    let spent = 0;
    while (this.#times.length - spent > limit && (this.#times[spent] as number) <= now) spent++;
    if (spent > 32 || spent === this.#times.length - limit) this.#times.splice(0, spent);
  }

  /** How many messages are being held back. */
  waiting(now: number): number {
    let count = 0;
    for (let index = this.#times.length - 1; index >= 0 && (this.#times[index] as number) > now; index--) count++;
    return count;
  }
}
