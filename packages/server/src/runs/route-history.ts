import type { HistoryEntry } from "./run-record.ts";

/** Number of removed entries after which the remaining ones are moved to the front. */
const minRemoved = 32;

/** The runs of one route, oldest first. `Array.shift` would move all other entries with every run. */
export class RouteHistory {
  readonly #entries: (HistoryEntry | undefined)[] = [];
  /** Index of the oldest entry. */
  #first = 0;

  get length(): number {
    return this.#entries.length - this.#first;
  }

  push(entry: HistoryEntry): void {
    this.#entries.push(entry);
  }

  /** Removes the oldest entry. The history must not be empty. */
  shift(): HistoryEntry {
    const oldest = this.#entries[this.#first] as HistoryEntry;
    this.#entries[this.#first++] = undefined;
    if (this.#first >= minRemoved && this.#first > this.length) {
      this.#entries.splice(0, this.#first);
      this.#first = 0;
    }
    return oldest;
  }

  newestFirst(): readonly HistoryEntry[] {
    return (this.#entries.slice(this.#first) as HistoryEntry[]).toReversed();
  }
}
