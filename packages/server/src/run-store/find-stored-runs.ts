// Finds stored runs page by page, as `findRuns` does for those in memory.
import { systemClock } from "../host/clock.ts";
import { inSlices } from "../host/in-slices.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { FoundRuns } from "../other-workers/worker-metrics.ts";
import { maxSearchMs, positionOf, wordsOf } from "../runs/find-runs.ts";
import { containsWords, runJson, runKinds, type RunKind, type RunMetadata } from "../runs/run-metadata.ts";
import type { RunFilter } from "../runs/run-history.ts";
import type { SqlValue } from "../store/sqlite.ts";
import type { FoundRow, RunSearch } from "./segment-files.ts";
import type { RunStore } from "./run-store.ts";
import { parseMetadata } from "./stored-run.ts";

/** Runs read at a time when searching for text. */
const pageSize = 200;

export async function findStoredRuns(store: RunStore, filter: RunFilter, secrets: SecretValues): Promise<FoundRuns> {
  const words = wordsOf(filter.text);
  const sqlFilter = conditions(filter);
  if (sqlFilter === undefined) return { runs: [], total: 0, stopped: undefined };
  const runs: Readonly<Record<string, unknown>>[] = [];
  const deadline = systemClock.monotonic() + maxSearchMs;
  let { after } = filter;
  for (;;) {
    const limit = words.length === 0 ? filter.limit : pageSize;
    const { rows, hasMore, total } = await store.search({ ...sqlFilter, after, limit, counts: words.length === 0 });
    const read = await inSlices(addMatches(rows, words, secrets, { found: runs, limit: filter.limit }));
    const stopped = read < rows.length || hasMore ? positionOf(rows[read - 1]) : undefined;
    const isDone = stopped === undefined || words.length === 0 || runs.length === filter.limit || systemClock.monotonic() > deadline;
    if (isDone) return { runs, total: words.length === 0 ? total : runs.length, stopped };
    after = stopped;
  }
}

/** Adds the runs that contain the words; returns how many rows were read until the limit was reached. */
function* addMatches(
  rows: readonly FoundRow[],
  words: readonly string[],
  secrets: SecretValues,
  { found, limit }: { readonly found: Readonly<Record<string, unknown>>[]; readonly limit: number },
): Generator<undefined, number> {
  // Words that JSON does not escape are searched for before a row is parsed.
  const plain = words.filter((word) => JSON.stringify(word).length === word.length + 2);
  let read = 0;
  for (const { metadata: text } of rows) {
    if (found.length === limit) break;
    read++;
    if (plain.length > 0 && !includesAll(text.toLowerCase(), plain)) continue;
    const metadata: RunMetadata = parseMetadata(text);
    if (words.length === 0 || containsWords(metadata, words, secrets)) found.push(runJson(metadata, secrets));
    yield;
  }
  return read;
}

const includesAll = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word));

/** The index tells test runs from the others; only to separate live runs from replays, their data is read. */
function kindCondition(kinds: readonly RunKind[]): string {
  const stored = "(session_id IS NULL AND coalesce(json_extract(facts, '$.kind'), iif(json_extract(facts, '$.replayOf') IS NULL, 'live', 'replay')) = ";
  const hasBoth = kinds.includes("live") && kinds.includes("replay");
  const other = hasBoth ? "session_id IS NULL" : kinds.includes("live") ? `${stored}'live')` : kinds.includes("replay") ? `${stored}'replay')` : "0";
  return kinds.includes("test") ? `(session_id IS NOT NULL OR ${other})` : other;
}

/** Undefined when nothing can match. */
function conditions(filter: RunFilter): Pick<RunSearch, "where" | "values"> | undefined {
  const parts: string[] = ["1"];
  const values: SqlValue[] = [];
  const add = (condition: string, value: SqlValue | undefined): void => {
    if (value === undefined) return;
    parts.push(condition);
    values.push(value);
  };
  add("route_id = ?", filter.routeId);
  add("flow_id = ?", filter.flowId);
  add("status = ?", filter.status);
  add("correlation_id = ?", filter.correlationId);
  add("session_id = ?", filter.sessionId);
  if (filter.kinds !== undefined && filter.kinds.length < runKinds.length) parts.push(kindCondition(filter.kinds));
  add("started_at >= ?", filter.since);
  add("started_at <= ?", filter.until);
  // The driver truncates text at the first NUL, so that the condition would match too much.
  return values.some((value) => typeof value === "string" && value.includes("\0")) ? undefined : { where: parts.join(" AND "), values };
}
