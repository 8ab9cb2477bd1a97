// One writer, many callers: what arrives within a moment is written in one transaction, so that one flush to disk serves
// all of it. A caller hears back after the commit, never before.
import type { Database } from "./sqlite.ts";

interface Item {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A group waits for company at most this long, and not at all once nobody joins within a turn of the event loop. */
const longestWaitMs = 2;
const enough = 64;
const largestGroup = 1_024;

export class GroupCommit {
  readonly #database: Database;
  readonly #onWritten: () => void;
  #items: Item[] = [];
  #began = 0;
  #seen = 0;
  /** Groups and items written so far: their ratio tells how well grouping works. */
  groups = 0;
  items = 0;

  constructor(database: Database, onWritten: () => void) {
    this.#database = database;
    this.#onWritten = onWritten;
  }

  /** Runs `work` in the next transaction. It may run twice, so it must do nothing but statements. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#items.push({ work, resolve, reject });
      if (this.#items.length > 1) return;
      this.#began = performance.now();
      this.#seen = 0;
      setImmediate(this.#turn);
    });
  }

  /** Writes what waits, now. */
  flush(): void {
    while (this.#items.length > 0) this.#commit(this.#items.splice(0, largestGroup));
  }

  readonly #turn = (): void => {
    const count = this.#items.length;
    if (count === 0) return;
    const grows = count > this.#seen && count < enough && performance.now() - this.#began < longestWaitMs;
    this.#seen = count;
    if (grows) setImmediate(this.#turn);
    else this.flush();
  };

  #commit(items: readonly Item[]): void {
    this.groups++;
    this.items += items.length;
    const results: unknown[] = [];
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const item of items) results.push(item.work());
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#rollBack();
      if (items.length === 1) return (items[0] as Item).reject(error);
      // One of them is at fault, or the disk is: each for itself shows which.
      for (const item of items) this.#commit([item]);
      return;
    }
    items.forEach((item, index) => item.resolve(results[index] as never));
    this.#onWritten();
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite rolled back by itself, as it does when the disk is full.
    }
  }
}
