// Order per key: one message of a key at a time; the others of that key wait behind it, also while it waits to be tried again.

export class HeldKeys<E extends { readonly seq: number }> {
  /** The message whose turn it is, by key. */
  readonly #holders = new Map<string, number>();
  readonly #behind = new Map<string, E[]>();
  parked = 0;

  /** Takes over whose turn it was before a restart. */
  hold(holders: ReadonlyMap<string, number>): void {
    for (const [key, seq] of holders) this.#holders.set(key, seq);
  }

  /** True when it is this message's turn; otherwise it is parked until it is. */
  mayGo(key: string, entry: E): boolean {
    const holder = this.#holders.get(key);
    if (holder === undefined || holder === entry.seq) {
      this.#holders.set(key, entry.seq);
      return true;
    }
    const behind = this.#behind.get(key);
    if (behind === undefined) this.#behind.set(key, [entry]);
    else behind.push(entry);
    this.parked++;
    return false;
  }

  /** The message is over; gives the one whose turn it is now. */
  release(key: string, seq: number): E | undefined {
    if (this.#holders.get(key) !== seq) return undefined;
    this.#holders.delete(key);
    const behind = this.#behind.get(key);
    const next = behind?.shift();
    if (behind?.length === 0) this.#behind.delete(key);
    if (next === undefined) return undefined;
    this.parked--;
    this.#holders.set(key, next.seq);
    return next;
  }

  /** The message gives up its turn without anybody following. */
  drop(key: string, seq: number): void {
    if (this.#holders.get(key) === seq) this.#holders.delete(key);
  }

  /** Empties the places behind; the turns stay. */
  unpark(): readonly E[] {
    const all = [...this.#behind.values()].flat();
    this.#behind.clear();
    this.parked = 0;
    return all;
  }
}
