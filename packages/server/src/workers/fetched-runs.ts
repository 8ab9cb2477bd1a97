// Runs of other workers that were brought here to be replayed. Their workers keep them too, so whoever counts must know.
import type { KeptRuns } from "../replay/kept-runs.ts";
import { Refusal } from "../refusal.ts";
import type { RunHistory } from "../runs/run-history.ts";
import type { RemoteRun } from "./messages.ts";

export class FetchedRuns {
  readonly #history: RunHistory;
  readonly #kept: KeptRuns;
  readonly #ids = new Set<string>();

  constructor({ history, kept }: { readonly history: RunHistory; readonly kept: KeptRuns }) {
    this.#history = history;
    this.#kept = kept;
  }

  take(id: string, { record, kept }: RemoteRun): void {
    if (!record.isOver) throw new Refusal("conflict", `run '${id}' cannot be replayed: it is still running`);
    this.#history.adopt(record);
    if (kept !== undefined) this.#kept.adopt(kept);
    this.#ids.add(id);
  }

  /** Those the history still holds. */
  ids(): readonly string[] {
    if (this.#ids.size === 0) return [];
    const here = this.#history.held(this.#ids);
    for (const id of this.#ids) if (!here.has(id)) this.#ids.delete(id);
    return [...this.#ids];
  }
}
