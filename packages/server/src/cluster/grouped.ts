// Group commit: values that arrive while statements are in progress are sent in one statement.

/** Maximum number of statements in progress. */
const concurrency = 2;
const maxGroup = 64;

interface Item<T> {
  readonly value: T;
  resolve(): void;
  reject(error: unknown): void;
}

export class Grouped<T> {
  readonly #run: (values: readonly T[]) => Promise<unknown>;
  readonly #waiting: Item<T>[] = [];
  #running = 0;

  constructor(run: (values: readonly T[]) => Promise<unknown>) {
    this.#run = run;
  }

  /** Resolves when the statement with this value has succeeded. */
  add(value: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ value, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#running >= concurrency || this.#waiting.length === 0) return;
    const group = this.#waiting.splice(0, maxGroup);
    this.#running++;
    void this.#run(group.map(({ value }) => value))
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
