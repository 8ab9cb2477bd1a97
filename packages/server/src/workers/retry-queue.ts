// Requests waiting for a leader that is overloaded or being replaced. A connection attempt costs a follower more than serving a request,
// so attempts use slow start: one probe, doubled after each success.

const retryEveryMs = 50;
const maxConcurrent = 256;

/** A request waiting for the leader. */
export interface QueuedRequest {
  /** Deadline on the clock of `performance.now()`. */
  readonly until: number;
  attempt(): void;
  giveUp(): void;
}

/** First in, first out. */
export class RetryQueue {
  #waiting: QueuedRequest[] = [];
  #concurrency = 1;
  #isScheduled = false;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(queued: QueuedRequest): void {
    this.#waiting.push(queued);
    this.#schedule();
  }

  /** A connection was accepted: try more requests next time. */
  succeeded(): void {
    this.#concurrency = Math.min(this.#concurrency * 2, maxConcurrent);
  }

  /** A connection was refused: its request returns to the front of the queue. */
  failed(queued: QueuedRequest): void {
    this.#concurrency = 1;
    this.#waiting.unshift(queued);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => this.#processQueue(), retryEveryMs);
  }

  #processQueue(): void {
    this.#isScheduled = false;
    const now = performance.now();
    const isOver = ({ until }: QueuedRequest): boolean => until <= now;
    const expired = this.#waiting.filter(isOver);
    if (expired.length > 0) this.#waiting = this.#waiting.filter((queued) => !isOver(queued));
    for (const queued of expired) queued.giveUp();
    for (const queued of this.#waiting.splice(0, this.#concurrency)) queued.attempt();
    if (!this.isEmpty) this.#schedule();
  }
}
