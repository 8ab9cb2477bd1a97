// What the file endpoints of one runtime know together: which files are being worked on and which were done with.

/** Files remembered per endpoint; the one remembered longest is forgotten first. */
const rememberedLimit = 100_000;

export class FileMemory {
  readonly #underWay = new Set<string>();
  readonly #done = new Map<string, Set<string>>();

  /** False when somebody else works on the file already. */
  begin(path: string): boolean {
    if (this.#underWay.has(path)) return false;
    this.#underWay.add(path);
    return true;
  }

  end(path: string): void {
    this.#underWay.delete(path);
  }

  isDone(endpoint: string, key: string): boolean {
    return this.#done.get(endpoint)?.has(key) === true;
  }

  remember(endpoint: string, key: string): void {
    const keys = this.#done.get(endpoint) ?? new Set();
    this.#done.set(endpoint, keys);
    keys.add(key);
    if (keys.size > rememberedLimit) keys.delete(keys.values().next().value as string);
  }
}
