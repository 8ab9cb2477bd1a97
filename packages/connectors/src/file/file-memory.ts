// State shared by the file endpoints of one runtime: files in progress and files already processed.
import type { IdempotentRepository } from "@sluice/engine/spi";

/** Files remembered per endpoint; the oldest is evicted first. */
const rememberedLimit = 100_000;

export class FileMemory {
  readonly #inProgress = new Set<string>();
  readonly #done = new Map<string, Set<string>>();

  /** False when the file is already being processed. */
  begin(path: string): boolean {
    if (this.#inProgress.has(path)) return false;
    this.#inProgress.add(path);
    return true;
  }

  end(path: string): void {
    this.#inProgress.delete(path);
  }

  /** The processed files of an endpoint; they survive a redeployment of the flow. */
  doneFiles(endpoint: string): Pick<IdempotentRepository, "contains" | "add" | "confirm"> {
    return {
      contains: (key) => this.#done.get(endpoint)?.has(key) === true,
      add: (key) => {
        const keys = this.#done.get(endpoint) ?? new Set();
        this.#done.set(endpoint, keys);
        const isNew = !keys.has(key);
        keys.add(key);
        if (keys.size > rememberedLimit) keys.delete(keys.values().next().value as string);
        return isNew;
      },
      confirm: () => undefined,
    };
  }
}
