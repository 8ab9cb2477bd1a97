/** FIFO queue with O(1) push and shift. */
export class FifoQueue<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Removes an item at any position; false when it is not in the queue. */
  remove(item: T): boolean {
    const at = this.#items.indexOf(item, this.#head);
    if (at < 0) return false;
    this.#items.splice(at, 1);
    return true;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
