import type { RunRecord } from "./run-record.ts";

const firstRoom = 8;

/** The records of one route, oldest first, in a ring. Once it is full, the oldest record takes in the newest run. */
export class RunLane {
  readonly #most: number;
  #ring: (RunRecord | undefined)[] = [];
  #front = 0;
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length === this.#most;
  }

  get oldest(): RunRecord | undefined {
    return this.#length === 0 ? undefined : this.#ring[this.#front];
  }

  /** Takes the oldest out of a lane that is full and puts another, or the same, behind the newest. */
  replaceOldest(record: RunRecord): void {
    if (this.#ring[this.#front] !== record) this.#ring[this.#front] = record;
    this.#front = (this.#front + 1) % this.#ring.length;
  }

  dropOldest(): void {
    this.#ring[this.#front] = undefined;
    this.#front = (this.#front + 1) % this.#ring.length;
    this.#length--;
  }

  push(record: RunRecord): void {
    if (this.#length === this.#ring.length) this.#grow();
    this.#ring[(this.#front + this.#length) % this.#ring.length] = record;
    this.#length++;
  }

  /** Newest first. */
  *[Symbol.iterator](): IterableIterator<RunRecord> {
    for (let index = this.#length - 1; index >= 0; index--) yield this.#ring[(this.#front + index) % this.#ring.length] as RunRecord;
  }

  #grow(): void {
    const room = Math.min(this.#most, Math.max(firstRoom, this.#ring.length * 2));
    const records = [...this].toReversed();
    this.#ring = [...records, ...Array.from({ length: room - records.length }, () => undefined)];
    this.#front = 0;
  }
}
