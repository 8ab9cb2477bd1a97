// Runs of other workers that were copied here for replay. Their workers still have them, so lists and counts must exclude the copies.
import type { ReplayStore } from "../replay/replay-store.ts";
import { Refusal } from "../refusal.ts";
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

  take(id: string, { record, replayData }: RemoteRun): void {
    if (!record.isOver) throw new Refusal("conflict", `run '${id}' cannot be replayed: it is still running`);
    this.#history.adopt(record);
    if (replayData !== undefined) this.#replayStore.adopt(replayData);
    this.#ids.add(id);
  }

  /** The copies that are still in the history. */
  ids(): readonly string[] {
    if (this.#ids.size === 0) return [];
    const here = this.#history.held(this.#ids);
    for (const id of this.#ids) if (!here.has(id)) this.#ids.delete(id);
    return [...this.#ids];
  }
}
