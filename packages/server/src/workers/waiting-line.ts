// Requests for a lead that takes nobody at the moment, because it is being replaced or its door is full. Each attempt costs the follower
// more than answering a request of its own, so those who wait do not all knock: one does, and more with each that is let in.

const knockEveryMs = 50;
const mostAtOnce = 256;

/** A request that waits. */
export interface Waiter {
  /** When it gives up, on the clock of `performance.now()`. */
  readonly until: number;
  knock(): void;
  giveUp(): void;
}

/** First come, first served. */
export class WaitingLine {
  #waiting: Waiter[] = [];
  #atOnce = 1;
  #isTurnDue = false;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(waiter: Waiter): void {
    this.#waiting.push(waiter);
    this.#expectTurn();
  }

  /** Somebody was let in. */
  letIn(): void {
    this.#atOnce = Math.min(this.#atOnce * 2, mostAtOnce);
  }

  /** Somebody was not: the front of the line is its place. */
  turnedAway(waiter: Waiter): void {
    this.#atOnce = 1;
    this.#waiting.unshift(waiter);
    this.#expectTurn();
  }

  #expectTurn(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setTimeout(() => this.#turn(), knockEveryMs);
  }

  #turn(): void {
    this.#isTurnDue = false;
    const now = performance.now();
    const isOver = ({ until }: Waiter): boolean => until <= now;
    const late = this.#waiting.filter(isOver);
    if (late.length > 0) this.#waiting = this.#waiting.filter((waiter) => !isOver(waiter));
    for (const waiter of late) waiter.giveUp();
    for (const waiter of this.#waiting.splice(0, this.#atOnce)) waiter.knock();
    if (!this.isEmpty) this.#expectTurn();
  }
}
