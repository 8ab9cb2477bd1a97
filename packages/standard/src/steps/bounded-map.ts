import { OldestKey } from "../oldest-key.ts";

/** LRU map that creates missing entries. */
export class BoundedMap<K, V> {
  readonly #maxSize: number;
  readonly #create: () => V;
  readonly #entries = new Map<K, V>();
  readonly #oldest = new OldestKey(this.#entries);

  constructor(maxSize: number, create: () => V) {
    this.#maxSize = maxSize;
    this.#create = create;
  }

  get(key: K): V {
    let value = this.#entries.get(key);
    if (value === undefined) value = this.#create();
    else this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#maxSize) this.#entries.delete(this.#oldest.next() as K);
    return value;
  }
}
