// The history of a runtime that stores its runs: ended runs are passed to the writer, and lists of the history contain only runs that
// are not stored, because the others are found on disk.
import { createRunHistory, type RunHistory, type RunHistoryLimits } from "../runs/run-history.ts";
import type { HistoryEntry, RunRecord } from "../runs/run-record.ts";
import type { RunWriter } from "./run-writer.ts";

export function createStoringHistory(limits: RunHistoryLimits, writer: RunWriter): RunHistory {
  /** Running, but no longer in the history. */
  const evicted = new Set<HistoryEntry>();
  const history = createRunHistory(limits, (entry) => void evicted.add(entry));
  return {
    started: history.started,
    ended(run, exchange) {
      const record = run.record as RunRecord | undefined;
      if (record?.run !== run) return;
      if (evicted.size > 0 && evicted.delete(record)) {
        run.record = undefined;
        record.end(run, exchange);
      } else history.ended(run, exchange);
      writer.add(record);
    },
    adopt: history.adopt,
    lost(run) {
      const entry = history.lost(run);
      if (entry !== undefined) writer.add(entry);
      return entry;
    },
    matching: (filter, excluded) => history.matching(filter, excluded).filter((entry) => !writer.isStored(entry)),
    find: history.find,
    runIds: history.runIds,
    filterStored: history.filterStored,
    get size() {
      return history.size;
    },
    get bytes() {
      return history.bytes;
    },
  };
}
