// Runs of other workers that were copied here for replay. Their workers still have them, so lists and counts must exclude the copies.
import type { ReplayStore } from "../replay/replay-store.ts";
import { ServiceError } from "../service-error.ts";
import type { RunHistory } from "../runs/run-history.ts";
import type { RemoteRun } from "./messages.ts";

export class FetchedRuns {
  readonly #history: RunHistory;
  readonly #replayStore: ReplayStore;
  readonly #ids = new Set<string>();

  constructor({ history, replayStore }: { readonly history: RunHistory; readonly replayStore: ReplayStore }) {
    this.#history = history;
    this.#replayStore = replayStore;
  }

  add(id: string, { record, replayData }: RemoteRun): void {
    if (!record.isOver) throw new ServiceError("conflict", `run '${id}' cannot be replayed: it is still running`);
    this.#history.adopt(record);
    if (replayData !== undefined) this.#replayStore.adopt(replayData);
    this.#ids.add(id);
  }

  /** The copies that are still in the history. */
  ids(): readonly string[] {
    if (this.#ids.size === 0) return [];
    const stored = this.#history.filterStored(this.#ids);
    for (const id of this.#ids) if (!stored.has(id)) this.#ids.delete(id);
    return [...this.#ids];
  }
}
