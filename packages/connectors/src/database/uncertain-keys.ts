import { toFlowError } from "@sluice/engine/spi";

const maxKeys = 10_000;

/**
 * Keys whose addition or removal failed with a lost connection, so that their state is unknown. If such a key turns out to exist, it counts as new
 * once: as a duplicate, its message would be lost.
 */
export class UncertainKeys {
  readonly #keys = new Set<string>();

  async adding(key: string, add: () => Promise<boolean>): Promise<boolean> {
    try {
      const added = await add();
      return this.#keys.delete(key) || added;
    } catch (thrown) {
      this.#note(key, thrown);
      throw thrown;
    }
  }

  async removing(key: string, remove: () => Promise<unknown>): Promise<void> {
    try {
      await remove();
      this.#keys.delete(key);
    } catch (thrown) {
      this.#note(key, thrown);
      throw thrown;
    }
  }

  #note(key: string, thrown: unknown): void {
    if (!toFlowError(thrown).retryable) return;
    if (this.#keys.size >= maxKeys) this.#keys.delete(this.#keys.values().next().value as string);
    this.#keys.add(key);
  }
}
