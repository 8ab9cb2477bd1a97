// How many runs each route had, how they ended and how long they took. Counted at the end of every run, so it must cost
// next to nothing: a comparison, a short search and a few additions.
import type { RouteIdentity, Run } from "@sluice/engine";

/** Upper bounds of the duration buckets, in milliseconds; a run's times are whole milliseconds. */
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
  /** Runs per bucket, not summed up; the last one is for what took longer than every bound. */
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
    const took = endedAt > startedAt ? endedAt - startedAt : 0;
    this.durationMs += took;
    let bucket = 0;
    while (bucket < durationBounds.length && took > (durationBounds[bucket] as number)) bucket++;
    (this.buckets[bucket] as number)++;
  }
}

export interface RunCounts {
  ended(run: Run): void;
  /** A run of another process that ended with it. */
  lost(route: RouteIdentity, tookMs: number): void;
  /** One per route that ever ran; those beyond the bound are counted together, under the name `_other`. */
  list(): readonly RouteCounts[];
}

export interface RunCountsOptions {
  readonly maxRoutes: number;
  /** Routes that left make room for new ones. */
  isInService(routeId: string): boolean;
}

/** Counts go on over redeployments: they belong to the route's name, not to one version of it. */
export function createRunCounts({ maxRoutes, isInService }: RunCountsOptions): RunCounts {
  const routes = new Map<string, RouteCounts>();
  const others = new RouteCounts("_other", "_other");
  // Runs of one route come in a row more often than not.
  let lastRoute: RouteIdentity | undefined;
  let lastCounts = others;

  function makeRoom(): boolean {
    if (routes.size < maxRoutes) return true;
    for (const id of routes.keys()) if (!isInService(id)) routes.delete(id);
    return routes.size < maxRoutes;
  }

  function countsOf({ id, flowId }: RouteIdentity): RouteCounts {
    const known = routes.get(id);
    if (known !== undefined && known.flowId === flowId) return known;
    if (known === undefined && !makeRoom()) return others;
    const made = new RouteCounts(id, flowId);
    routes.set(id, made);
    return made;
  }

  return {
    ended(run) {
      if (run.route !== lastRoute) {
        lastRoute = run.route;
        lastCounts = countsOf(run.route);
      }
      lastCounts.add(run);
    },
    lost(route, tookMs) {
      countsOf(route).add({ status: "failed", startedAt: 0, endedAt: tookMs, redeliveries: 0 });
    },
    list: () => [...routes.values(), ...(others.buckets.some((count) => count > 0) ? [others] : [])],
  };
}

type Figures = Pick<RouteCounts, (typeof added)[number] | "routeId" | "flowId"> & { readonly buckets: readonly number[] };

const added = ["completed", "failed", "cancelled", "discarded", "redeliveries", "durationMs"] as const;

/** The counts of several processes as those of one. */
export function addCounts(lists: readonly (readonly Figures[])[]): readonly RouteCounts[] {
  const sums = new Map<string, RouteCounts>();
  for (const counts of lists.flat()) {
    const key = `${counts.flowId} ${counts.routeId}`;
    let sum = sums.get(key);
    if (sum === undefined) sums.set(key, (sum = new RouteCounts(counts.routeId, counts.flowId)));
    for (const name of added) sum[name] += counts[name];
    for (const [bucket, count] of counts.buckets.entries()) (sum.buckets[bucket] as number) += count;
  }
  return [...sums.values()];
}
