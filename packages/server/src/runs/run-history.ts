// Recent runs of every route in memory, limited per route, in total, and in bytes. Runs of removed routes stay until they are evicted.
import type { Exchange, Run } from "@sluice/engine";
import type { RunKind, RunMetadata } from "./run-metadata.ts";
import { RouteHistory } from "./route-history.ts";
import { adoptedRun, RunRecord, type HistoryEntry } from "./run-record.ts";

export interface RunHistoryLimits {
  readonly perRoute: number;
  readonly total: number;
  readonly bytes: number;
}

/** A position in the list of runs, which is sorted by time and then by id, newest first. */
export type RunPosition = Pick<RunMetadata, "startedAt" | "id">;

export const isOlder = (run: RunPosition, other: RunPosition): boolean =>
  run.startedAt < other.startedAt || (run.startedAt === other.startedAt && run.id < other.id);

export interface RunFilter {
  readonly routeId?: string | undefined;
  readonly flowId?: string | undefined;
  readonly status?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Undefined for all kinds. */
  readonly kinds?: readonly RunKind[] | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
  /** Words that the shown data of the run must contain. */
  readonly text?: string | undefined;
  /** Continues after this run. */
  readonly after?: RunPosition | undefined;
  /** The oldest run id to include, by route. */
  readonly oldest?: ReadonlyMap<string, string> | undefined;
}

export interface RunHistory {
  started(run: Run, exchange: Exchange): void;
  ended(run: Run, exchange: Exchange): void;
  /** Adds an ended run of another process, unless the history already contains it. */
  adopt(run: RunMetadata): void;
  /** Like `adopt`, for a run that no other process has; returns the entry if it was added. */
  lost(run: RunMetadata): HistoryEntry | undefined;
  /** All matches except for `text`, newest first. Runs in `excluded` are omitted. */
  matching(filter: Omit<RunFilter, "limit">, excluded?: ReadonlySet<string>): readonly HistoryEntry[];
  find(id: string): RunMetadata | undefined;
  /** Ids of the stored runs of a route, of a flow or of all routes, by route. */
  runIds(filter: Pick<RunFilter, "routeId" | "flowId">): ReadonlyMap<string, readonly string[]>;
  /** Returns those of the ids whose runs are stored. */
  filterStored(ids: ReadonlySet<string>): ReadonlySet<string>;
  readonly size: number;
  /** Estimated memory. */
  readonly bytes: number;
}

/** `evicted` is called with entries that leave the history while their run continues. */
export function createRunHistory(limits: RunHistoryLimits, evicted: (entry: HistoryEntry) => void = detachRecord): RunHistory {
  const runsByRoute = new Map<string, RouteHistory>();
  let total = 0;
  let bytes = 0;

  function runsOf(routeId: string): RouteHistory {
    let routeRuns = runsByRoute.get(routeId);
    if (routeRuns === undefined) runsByRoute.set(routeId, (routeRuns = new RouteHistory()));
    return routeRuns;
  }

  function dropOldest(routeRuns: RouteHistory): void {
    const oldest = routeRuns.shift();
    total--;
    bytes -= oldest.bytes;
    if (oldest.run !== undefined) evicted(oldest);
  }

  const isOver = (): boolean => total > limits.total || bytes > limits.bytes;

  /** Over the total limits, the route with the most runs loses some: a busy route never evicts the few runs of a quiet one. */
  function shrink(): void {
    while (total > limits.total || (bytes > limits.bytes && total > 1)) {
      let longest: [string, RouteHistory] | undefined;
      for (const entry of runsByRoute) if (longest === undefined || entry[1].length > longest[1].length) longest = entry;
      if (longest === undefined) return;
      const [routeId, routeRuns] = longest;
      const surplus = Math.max(1, Math.floor(routeRuns.length / 8));
      for (let count = 0; count < surplus && isOver(); count++) dropOldest(routeRuns);
      if (routeRuns.length === 0) runsByRoute.delete(routeId);
    }
  }

  /** Newest first within a route. */
  function* all(routeId: string | undefined): Iterable<HistoryEntry> {
    for (const [id, routeRuns] of runsByRoute) if (routeId === undefined || id === routeId) yield* routeRuns.newestFirst();
  }

  function add(routeRuns: RouteHistory, entry: HistoryEntry): void {
    if (routeRuns.length >= limits.perRoute) dropOldest(routeRuns);
    routeRuns.push(entry);
    total++;
    bytes += entry.bytes;
    shrink();
  }

  function lost(run: RunMetadata): HistoryEntry | undefined {
    const routeRuns = runsOf(run.route.id);
    if (routeRuns.newestFirst().some(({ id }) => id === run.id)) return undefined;
    const entry = adoptedRun(run);
    add(routeRuns, entry);
    return entry;
  }

  function matching(filter: Omit<RunFilter, "limit">, excluded: ReadonlySet<string> = new Set()): readonly HistoryEntry[] {
    const found = [...all(filter.routeId)].filter(
      (entry) => matches(entry, filter) && !excluded.has(entry.id) && entry.id >= (filter.oldest?.get(entry.route.id) ?? ""),
    );
    return found.sort((a, b) => (isOlder(a, b) ? 1 : -1));
  }

  return {
    matching,
    started(run, exchange) {
      add(runsOf(run.route.id), new RunRecord(run, exchange));
    },
    lost,
    adopt: (run) => void lost(run),
    ended(run, exchange) {
      const record = run.record as RunRecord | undefined;
      // Ignore a record that belongs to another run or has already ended.
      if (record?.run !== run) return;
      run.record = undefined;
      bytes += record.end(run, exchange);
    },
    find(id) {
      for (const record of all(undefined)) if (record.id === id) return record.metadata();
      return undefined;
    },
    runIds({ routeId, flowId }) {
      const ids = new Map<string, readonly string[]>();
      for (const [id, routeRuns] of runsByRoute)
        if (routeId === undefined || id === routeId)
          ids.set(
            id,
            routeRuns
              .newestFirst()
              .filter((record) => flowId === undefined || record.route.flowId === flowId)
              .map((record) => record.id),
          );
      return ids;
    },
    filterStored(ids) {
      return new Set([...all(undefined)].map((record) => record.id).filter((id) => ids.has(id)));
    },
    get size() {
      return total;
    },
    get bytes() {
      return bytes;
    },
  };
}

/** The run no longer updates its entry. */
function detachRecord({ run }: HistoryEntry): void {
  if (run !== undefined) run.record = undefined;
}

function matches(record: HistoryEntry, { flowId, status, correlationId, sessionId, kinds, since, until }: Omit<RunFilter, "limit">): boolean {
  return (
    (flowId === undefined || record.route.flowId === flowId) &&
    (status === undefined || record.status === status) &&
    (correlationId === undefined || record.correlationId === correlationId) &&
    (sessionId === undefined || record.sessionId === sessionId) &&
    (kinds === undefined || kinds.includes(record.kind)) &&
    (since === undefined || record.startedAt >= since) &&
    (until === undefined || record.startedAt <= until)
  );
}
