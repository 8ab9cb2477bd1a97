// Consumers by name. The newest registration is active; older ones stay registered, so that the previous version becomes
// active again without a gap when a new version fails to start.

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

  /** Removes only this registration. */
  unregister(name: string, consumer: T): void {
    const list = this.#byName.get(name);
    const at = list?.lastIndexOf(consumer) ?? -1;
    if (list === undefined || at < 0) return;
    list.splice(at, 1);
    if (list.length === 0) this.#byName.delete(name);
  }

  /** Calls `wake` once when a consumer registers; returns a function that cancels. */
  onRegistered(name: string, wake: () => void): () => void {
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    waiting.add(wake);
    return () => {
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name);
    };
  }
}
