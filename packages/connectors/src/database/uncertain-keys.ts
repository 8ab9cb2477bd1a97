import { toFlowError } from "@sluice/engine/spi";

const maxKeys = 10_000;

/**
 * Keys whose addition or removal failed with a lost connection, so that their state is unknown. If such a key turns out to exist, it counts as new
 * once: as a duplicate, its message would be lost.
 */
export class UncertainKeys {
  readonly #keys = new Set<string>();

  async add(key: string, insert: () => Promise<boolean>): Promise<boolean> {
    try {
      const isNew = await insert();
      return this.#keys.delete(key) || isNew;
    } catch (error) {
      this.#markUncertain(key, error);
      throw error;
    }
  }

  async remove(key: string, deleteKey: () => Promise<unknown>): Promise<void> {
    try {
      await deleteKey();
      this.#keys.delete(key);
    } catch (error) {
      this.#markUncertain(key, error);
      throw error;
    }
  }

  #markUncertain(key: string, error: unknown): void {
    if (!toFlowError(error).retryable) return;
    if (this.#keys.size >= maxKeys) this.#keys.delete(this.#keys.values().next().value as string);
    this.#keys.add(key);
  }
}
