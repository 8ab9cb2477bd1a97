/** Maximum number of messages whose attempts are counted; the oldest is evicted first. */
const maxMessages = 10_000;

/** Failed attempts by message id, for systems that do not count them. */
export class AttemptCounts {
  readonly #counts = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Failed attempts so far; 0 without an id. */
  of(id: string | undefined): number {
    return id === undefined ? 0 : (this.#counts.get(id) ?? 0);
  }

  /** Counts a failed attempt. */
  add(id: string | undefined): number {
    if (id === undefined) return 1;
    const attempts = this.of(id) + 1;
    this.#counts.delete(id);
    this.#counts.set(id, attempts);
    if (this.#counts.size > maxMessages) this.#counts.delete(this.#counts.keys().next().value as string);
    return attempts;
  }

  forget(id: string | undefined): void {
    if (id !== undefined) this.#counts.delete(id);
  }
}
