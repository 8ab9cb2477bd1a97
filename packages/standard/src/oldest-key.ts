/**
 * Returns the keys of a map or set for eviction, oldest first. Reuses one iterator, because a new iterator has to skip all entries that were deleted
 * before, which is slow for a full map.
 */
export class OldestKey<K> {
  readonly #entries: { keys(): Iterator<K> };
  #keys: Iterator<K>;

  constructor(entries: { keys(): Iterator<K> }) {
    this.#entries = entries;
    this.#keys = entries.keys();
  }

  /** The oldest key not returned yet; undefined when there is none. */
  next(): K | undefined {
    const next = this.#keys.next();
    if (next.done !== true) return next.value;
    this.#keys = this.#entries.keys();
    const first = this.#keys.next();
    return first.done === true ? undefined : first.value;
  }
}
