// Order per key: one message of a key at a time. Later messages of the key are parked, even while the first one waits for a retry.

export class KeyLocks<E extends { readonly seq: number }> {
  /** The message that holds the lock, by key. */
  readonly #holders = new Map<string, number>();
  readonly #parked = new Map<string, E[]>();
  parked = 0;

  /** Restores the locks after a restart. */
  hold(holders: ReadonlyMap<string, number>): void {
    for (const [key, seq] of holders) this.#holders.set(key, seq);
  }

  /** True when this message gets or has the lock; otherwise it is parked. */
  acquire(key: string, entry: E): boolean {
    const holder = this.#holders.get(key);
    if (holder === undefined || holder === entry.seq) {
      this.#holders.set(key, entry.seq);
      return true;
    }
    const waiting = this.#parked.get(key);
    if (waiting === undefined) this.#parked.set(key, [entry]);
    else waiting.push(entry);
    this.parked++;
    return false;
  }

  /** Releases the lock; returns the next message of the key, which gets it. */
  release(key: string, seq: number): E | undefined {
    if (this.#holders.get(key) !== seq) return undefined;
    this.#holders.delete(key);
    const waiting = this.#parked.get(key);
    const next = waiting?.shift();
    if (waiting?.length === 0) this.#parked.delete(key);
    if (next === undefined) return undefined;
    this.parked--;
    this.#holders.set(key, next.seq);
    return next;
  }

  /** Releases the lock without passing it on. */
  drop(key: string, seq: number): void {
    if (this.#holders.get(key) === seq) this.#holders.delete(key);
  }

  /** Removes and returns the parked messages; the locks are not released. */
  unpark(): readonly E[] {
    const all = [...this.#parked.values()].flat();
    this.#parked.clear();
    this.parked = 0;
    return all;
  }
}
