// Runs of other workers that were copied here for replay. Their workers still have them, so lists and counts must exclude the copies.
import type { ReplayStore } from "../replay/replay-store.ts";
import { Refusal } from "../refusal.ts";
import type { RunHistory } from "../runs/run-history.ts";
import type { RemoteRun } from "./messages.ts";

export class FetchedRuns {
  readonly #history: RunHistory;
  readonly #kept: ReplayStore;
  readonly #ids = new Set<string>();

  constructor({ history, kept }: { readonly history: RunHistory; readonly kept: ReplayStore }) {
    this.#history = history;
    this.#kept = kept;
  }

  take(id: string, { record, kept }: RemoteRun): void {
    if (!record.isOver) throw new Refusal("conflict", `run '${id}' cannot be replayed: it is still running`);
    this.#history.adopt(record);
    if (kept !== undefined) this.#kept.adopt(kept);
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
