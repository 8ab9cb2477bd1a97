// Who answers to which name. The newest registration is in service; older ones stay behind it, so that a new version
// that fails to start can step back and the old one is in service again, with no moment in between.

export class Consumers<T> {
  readonly #byName = new Map<string, T[]>();
  readonly #waiting = new Map<string, Set<() => void>>();

  get(name: string): T | undefined {
    return this.#byName.get(name)?.at(-1);
  }

  register(name: string, consumer: T): void {
    const list = this.#byName.get(name);
    if (list === undefined) this.#byName.set(name, [consumer]);
    else list.push(consumer);
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    if (waiting !== undefined) for (const wake of waiting) wake();
  }

  /** Takes out this registration and no other. */
  unregister(name: string, consumer: T): void {
    const list = this.#byName.get(name);
    const at = list?.lastIndexOf(consumer) ?? -1;
    if (list === undefined || at < 0) return;
    list.splice(at, 1);
    if (list.length === 0) this.#byName.delete(name);
  }

  /** Calls `wake` once when somebody registers; the returned function gives up waiting. */
  onArrival(name: string, wake: () => void): () => void {
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    waiting.add(wake);
    return () => {
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name);
    };
  }
}
