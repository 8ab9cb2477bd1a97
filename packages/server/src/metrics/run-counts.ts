// Counts runs, outcomes and durations by route. Called at the end of every run, so it must be cheap.
import type { RouteIdentity, Run, SourceEvent } from "@sluice/engine";
import type { SourceMetrics } from "../other-workers/worker-metrics.ts";

/** Upper bounds of the duration buckets in milliseconds; durations are whole milliseconds. */
export const durationBounds: readonly number[] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];

export class RouteCounts {
  readonly routeId: string;
  readonly flowId: string;
  completed = 0;
  failed = 0;
  cancelled = 0;
  discarded = 0;
  redeliveries = 0;
  durationMs = 0;
  /** Runs per bucket, not cumulative; the last one is for durations beyond all bounds. */
  readonly buckets: number[] = Array.from({ length: durationBounds.length + 1 }, () => 0);

  constructor(routeId: string, flowId: string) {
    this.routeId = routeId;
    this.flowId = flowId;
  }

  add({ status, startedAt, endedAt, redeliveries }: Pick<Run, "status" | "startedAt" | "endedAt" | "redeliveries">): void {
    if (status === "completed") this.completed++;
    else if (status === "failed") this.failed++;
    else if (status === "cancelled") this.cancelled++;
    else this.discarded++;
    this.redeliveries += redeliveries;
    // The clock may be set back during a run.
    const elapsedMs = endedAt > startedAt ? endedAt - startedAt : 0;
    this.durationMs += elapsedMs;
    let bucket = 0;
    while (bucket < durationBounds.length && elapsedMs > (durationBounds[bucket] as number)) bucket++;
    (this.buckets[bucket] as number)++;
  }
}

export type SourceCounts = Record<SourceEvent, number>;

export interface RunCounts {
  ended(run: Run): void;
  /** Counts a run lost with its process. */
  lost(route: RouteIdentity, durationMs: number): void;
  /** Counts per route that ever ran; routes beyond the limit are counted as `_other`. */
  list(): readonly RouteCounts[];
  /** The counts of all sources with this scheme, to be incremented. */
  sourceCounts(scheme: string): SourceCounts;
  sources(): readonly SourceMetrics[];
}

export interface RunCountsOptions {
  readonly maxRoutes: number;
  /** False for a removed route, whose counts are dropped when space is needed. */
  isInService(routeId: string): boolean;
}

/** Counts continue across redeployments: they belong to the route's name, not to a version. */
export function createRunCounts({ maxRoutes, isInService }: RunCountsOptions): RunCounts {
  const routes = new Map<string, RouteCounts>();
  const others = new RouteCounts("_other", "_other");
  const sources = new Map<string, SourceCounts>();
  // Consecutive runs are usually of the same route.
  let lastRoute: RouteIdentity | undefined;
  let lastCounts = others;

  function makeRoom(): boolean {
    if (routes.size < maxRoutes) return true;
    for (const id of routes.keys()) if (!isInService(id)) routes.delete(id);
    return routes.size < maxRoutes;
  }

  function countsOf({ id, flowId }: RouteIdentity): RouteCounts {
    const existing = routes.get(id);
    if (existing !== undefined && existing.flowId === flowId) return existing;
    if (existing === undefined && !makeRoom()) return others;
    const created = new RouteCounts(id, flowId);
    routes.set(id, created);
    return created;
  }

  return {
    ended(run) {
      if (run.route !== lastRoute) {
        lastRoute = run.route;
        lastCounts = countsOf(run.route);
      }
      lastCounts.add(run);
    },
    lost(route, durationMs) {
      countsOf(route).add({ status: "failed", startedAt: 0, endedAt: durationMs, redeliveries: 0 });
    },
    sourceCounts(scheme) {
      let events = sources.get(scheme);
      if (events === undefined) sources.set(scheme, (events = noEvents()));
      return events;
    },
    sources: () => [...sources].map(([scheme, events]) => ({ scheme, events: { ...events } })),
    list: () => [...routes.values(), ...(others.buckets.some((count) => count > 0) ? [others] : [])],
  };
}

const noEvents = (): SourceCounts => ({ received: 0, done: 0, redelivered: 0, "dead-lettered": 0 });

/** Adds the source counts of several processes, sorted by scheme. */
export function addSources(lists: readonly (readonly SourceMetrics[])[]): readonly SourceMetrics[] {
  const sums = new Map<string, SourceCounts>();
  for (const { scheme, events } of lists.flat()) {
    const sum = sums.get(scheme) ?? noEvents();
    for (const event of Object.keys(sum) as SourceEvent[]) sum[event] += events[event];
    sums.set(scheme, sum);
  }
  return [...sums].map(([scheme, events]) => ({ scheme, events })).toSorted((a, b) => (a.scheme < b.scheme ? -1 : 1));
}

type Metrics = Pick<RouteCounts, (typeof summedFields)[number] | "routeId" | "flowId"> & { readonly buckets: readonly number[] };

const summedFields = ["completed", "failed", "cancelled", "discarded", "redeliveries", "durationMs"] as const;

/** Adds the counts of several processes. */
export function addCounts(lists: readonly (readonly Metrics[])[]): readonly RouteCounts[] {
  const sums = new Map<string, RouteCounts>();
  for (const counts of lists.flat()) {
    const key = `${counts.flowId} ${counts.routeId}`;
    let sum = sums.get(key);
    if (sum === undefined) sums.set(key, (sum = new RouteCounts(counts.routeId, counts.flowId)));
    for (const name of summedFields) sum[name] += counts[name];
    for (const [bucket, count] of counts.buckets.entries()) (sum.buckets[bucket] as number) += count;
  }
  return [...sums.values()];
}
