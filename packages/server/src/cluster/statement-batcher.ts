// Group commit: values that arrive while statements are in progress are sent in one statement.
import { systemClock } from "../host/clock.ts";

/** Maximum number of statements in progress. */
const concurrency = 2;
const maxGroup = 64;

interface Item<T> {
  readonly value: T;
  /** Monotonic time at which it was added. */
  readonly since: number;
  resolve(): void;
  reject(error: unknown): void;
}

export class StatementBatcher<T> {
  readonly #run: (values: readonly T[], since: number) => Promise<unknown>;
  readonly #waiting: Item<T>[] = [];
  #running = 0;

  /** `run` also gets the time since which the first value has waited, which counts toward its time limit. */
  constructor(run: (values: readonly T[], since: number) => Promise<unknown>) {
    this.#run = run;
  }

  /** Resolves when the statement with this value has succeeded. */
  add(value: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ value, since: systemClock.monotonic(), resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#running >= concurrency || this.#waiting.length === 0) return;
    const group = this.#waiting.splice(0, maxGroup);
    const [{ since }] = group as [Item<T>];
    this.#running++;
    void this.#run(
      group.map(({ value }) => value),
      since,
    )
      .then(
        () => group.forEach(({ resolve }) => resolve()),
        (error: unknown) => group.forEach(({ reject }) => reject(error)),
      )
      .then(() => {
        this.#running--;
        this.#next();
      });
  }
}
