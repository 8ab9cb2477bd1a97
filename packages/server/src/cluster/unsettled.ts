// The deliveries of a queue that are on this node and not settled in the store yet.

export class Unsettled<T> {
  readonly #items = new Set<T>();
  readonly #waiting = new Set<() => void>();

  get size(): number {
    return this.#items.size;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items[Symbol.iterator]();
  }

  add(item: T): void {
    this.#items.add(item);
  }

  delete(item: T): void {
    this.#items.delete(item);
    for (const check of [...this.#waiting]) check();
  }

  /** Resolves when all deliveries are settled. */
  whenEmpty(): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#items.size > 0) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}

/** Wraps functions so that only the first call to any of them has an effect. */
export function settleOnce<T extends Readonly<Record<string, (...values: never[]) => unknown>>>(calls: T): T {
  let isSettled = false;
  const once = Object.entries(calls).map(([name, call]) => [
    name,
    (...values: never[]): unknown => {
      if (isSettled) return undefined;
      isSettled = true;
      return call(...values);
    },
  ]);
  return Object.fromEntries(once) as T;
}
