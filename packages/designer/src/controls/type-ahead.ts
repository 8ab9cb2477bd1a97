/** After such a pause, a key begins a new search. */
const pauseMs = 500;

/** Finds the entry of a list whose title begins with the keys that were just typed. */
export class TypeAhead {
  #typed = "";
  #lastAt = -Infinity;

  /**
   * The index of the entry to focus, which may be the current one; undefined if the key is not part of a search. Each press of the same character goes
   * to the next entry with it.
   */
  find(key: string, at: number, titles: readonly string[], current: number): number | undefined {
    const isContinued = at - this.#lastAt <= pauseMs;
    // A space alone presses a button.
    if ([...key].length !== 1 || (key === " " && !isContinued)) return undefined;
    this.#typed = (isContinued ? this.#typed : "") + key.toLowerCase();
    this.#lastAt = at;
    const [first = ""] = this.#typed;
    const isRepeated = [...this.#typed].every((character) => character === first);
    const wanted = isRepeated ? first : this.#typed;
    // A longer text may still be that of the current entry.
    const start = isRepeated ? current + 1 : Math.max(current, 0);
    const order = titles.map((_, offset) => (start + offset) % titles.length);
    return order.find((index) => titles[index]?.toLowerCase().startsWith(wanted) === true) ?? current;
  }
}
