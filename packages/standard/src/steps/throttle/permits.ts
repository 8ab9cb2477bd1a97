/** Permits of one key: each becomes available again one period after its use. */
export class Permits {
  readonly #periodMs: number;
  /** Times at which the latest messages were or will be released, in order. */
  readonly #times: number[] = [];

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Milliseconds until the next message may pass. */
  waitFor(limit: number, now: number): number {
    const blocking = this.#times[this.#times.length - limit];
    return blocking === undefined ? 0 : Math.max(0, blocking + this.#periodMs - now);
  }

  /** Reserves a permit at `at`. Only the last `limit` times and future ones are stored, since no other can delay a message. */
  take(limit: number, at: number, now: number): void {
    this.#times.push(at);
    let expired = 0;
    while (this.#times.length - expired > limit && (this.#times[expired] as number) <= now) expired++;
    if (expired > 32 || expired === this.#times.length - limit) this.#times.splice(0, expired);
  }

  /** Number of waiting messages. */
  waiting(now: number): number {
    let count = 0;
    for (let index = this.#times.length - 1; index >= 0 && (this.#times[index] as number) > now; index--) count++;
    return count;
  }
}
