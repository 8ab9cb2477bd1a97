/**
 * Returns the keys of a map or set for eviction, oldest first. Uses a single iterator: a new one would skip over every entry deleted before, which
 * makes a full map slow.
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
    const again = this.#keys.next();
    return again.done === true ? undefined : again.value;
  }
}
