// Finds runs page by page, as the API returns them. The search text is compared with the masked data, so a search cannot reveal a secret.
import { systemClock } from "../host/clock.ts";
import { inSlices } from "../host/in-slices.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { FoundRuns } from "../other-workers/worker-metrics.ts";
import { containsWords, runJson } from "./run-metadata.ts";
import { isOlder, type RunFilter, type RunHistory, type RunPosition } from "./run-history.ts";

/** A text search stops after this time; the next page continues it. */
export const maxSearchMs = 200;

export function findRuns(history: RunHistory, filter: RunFilter, secrets: SecretValues, excluded?: ReadonlySet<string>): Promise<FoundRuns> {
  return inSlices(search(history, filter, secrets, excluded));
}

function* search(history: RunHistory, filter: RunFilter, secrets: SecretValues, excluded?: ReadonlySet<string>): Generator<undefined, FoundRuns> {
  const words = wordsOf(filter.text);
  const matching = history.matching(filter, excluded);
  const { after } = filter;
  const entries = after === undefined ? matching : matching.filter((entry) => isOlder(entry, after));
  const deadline = systemClock.monotonic() + maxSearchMs;
  const runs: Readonly<Record<string, unknown>>[] = [];
  let read = 0;
  for (const entry of entries) {
    if (runs.length === filter.limit || (words.length > 0 && read > 0 && systemClock.monotonic() > deadline)) break;
    const metadata = entry.metadata();
    if (words.length === 0 || containsWords(metadata, words, secrets)) runs.push(runJson(metadata, secrets));
    read++;
    yield;
  }
  return { runs, total: words.length === 0 ? matching.length : runs.length, stopped: read === entries.length ? undefined : positionOf(entries[read - 1]) };
}

export const wordsOf = (text: string | undefined): readonly string[] =>
  (text ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");

export const positionOf = (entry: RunPosition | undefined): RunPosition | undefined =>
  entry === undefined ? undefined : { startedAt: entry.startedAt, id: entry.id };

/**
 * Merges the runs of several workers and of the disk, newest first. The merged page ends where the first of these searches stopped. A run
 * that was stored during the search is found both in memory and on disk, and is included once.
 */
export function mergeRuns(found: readonly FoundRuns[], limit: number): FoundRuns {
  const runs = [...new Map(found.flatMap((part) => part.runs).map((run) => [run["id"], run])).values()]
    .map((run) => ({ run, position: { startedAt: Date.parse(run["startedAt"] as string), id: run["id"] as string } }))
    .sort((a, b) => (isOlder(a.position, b.position) ? 1 : -1));
  const stopped = found
    .map((part) => part.stopped)
    .reduce((newest, part) => (part === undefined || (newest !== undefined && isOlder(part, newest)) ? newest : part), undefined);
  const searched = stopped === undefined ? runs : runs.filter(({ position }) => !isOlder(position, stopped));
  const page = searched.slice(0, limit);
  return {
    runs: page.map(({ run }) => run),
    total: found.reduce((sum, { total }) => sum + total, 0),
    stopped: searched.length > limit ? page.at(-1)?.position : stopped,
  };
}
