// The runs that match a filter: the newest page is polled, older pages are added on demand.
import { useCallback, useEffect, useState } from "react";
import type { CallInput, Run } from "@sluice/client";
import { allRunKinds, runtimeAt } from "../api-client/runtime-client.ts";
import { usePolled } from "../api-client/use-polled.ts";

export type RunQuery = Omit<NonNullable<CallInput<"GET /runs">["query"]>, "cursor" | "limit">;

export interface RunPages {
  readonly runs: readonly Run[];
  /** All matches; unknown during a text search, because the runtime searches page by page. */
  readonly total: number | undefined;
  /** Runs that started before this time have not been searched yet. */
  readonly searchedBack: string | undefined;
  readonly error: string | undefined;
  readonly isLoaded: boolean;
  /** Undefined when all matches are shown. */
  readonly loadOlder: (() => void) | undefined;
}

interface OlderRuns {
  readonly runs: readonly Run[];
  readonly next: string | null;
  readonly searchedBack: string | null;
}

const pageSize = 50;

/** `query` must be stable. */
export function useRunPages(target: string | undefined, query: RunQuery, pollMs: number | undefined): RunPages {
  const load = useCallback(
    () => runtimeAt(target).call("GET /runs", { query: { ...query, kind: allRunKinds, limit: pageSize, cursor: "newest" } }),
    [query, target],
  );
  const [polled] = usePolled(target === undefined ? undefined : load, pollMs);
  const newest = polled !== undefined && "value" in polled ? polled.value : undefined;
  const [older, setOlder] = useState<OlderRuns | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  useEffect(() => {
    setOlder(undefined);
    setError(undefined);
  }, [load]);
  // Runs that leave the newest page stay in the list; after a gap the list starts again with the newest page.
  useEffect(() => {
    if (newest !== undefined)
      setOlder((before) => (before === undefined || !overlap(newest.runs, before.runs) ? undefined : { ...before, runs: mergeRuns(newest.runs, before.runs) }));
  }, [newest]);
  const runs = mergeRuns(newest?.runs ?? [], older?.runs ?? []);
  const next = older === undefined ? newest?.next : older.next;
  const loadOlder = async (cursor: string): Promise<void> => {
    try {
      const page = await runtimeAt(target).call("GET /runs", { query: { ...query, kind: allRunKinds, limit: pageSize, cursor } });
      setOlder({ runs: [...runs, ...page.runs], next: page.next ?? null, searchedBack: page.searchedBack ?? null });
    } catch (reason) {
      setError((reason as Error).message);
    }
  };
  return {
    runs,
    total: query.text === undefined ? newest?.total : undefined,
    searchedBack: (older === undefined ? newest?.searchedBack : older.searchedBack) ?? undefined,
    error: error ?? (polled !== undefined && "error" in polled ? polled.error : undefined),
    isLoaded: newest !== undefined,
    loadOlder: next === undefined || next === null ? undefined : () => void loadOlder(next),
  };
}

/** Newest first; a run that was loaded twice is shown as it is in the newer page. */
function mergeRuns(newest: readonly Run[], older: readonly Run[]): readonly Run[] {
  const newestIds = new Set(newest.map(({ id }) => id));
  return [...newest, ...older.filter(({ id }) => !newestIds.has(id))];
}

/** True if no run can be missing between the two lists. */
const overlap = (newest: readonly Run[], older: readonly Run[]): boolean =>
  newest.length < pageSize || newest.some(({ id }) => older.some((run) => run.id === id));
