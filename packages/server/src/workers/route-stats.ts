import type { RouteStats, Runtime } from "@sluice/engine";
import type { RouteStatsSnapshot } from "../other-workers/worker-metrics.ts";

type AddedStats = Pick<RouteStatsSnapshot, "id" | "flowHash" | "total" | "failed" | "lastRunAt">;

/** Adds another worker's runs to a route's statistics; undefined when the route does not exist here or has another version. */
export function addStats(runtime: Runtime, { id, flowHash, total, failed, lastRunAt }: AddedStats): RouteStats | undefined {
  const route = runtime.routes.get(id);
  if (route === undefined || route.identity.flowHash !== flowHash) return undefined;
  const { stats } = route;
  stats.total += total;
  stats.failed += failed;
  stats.lastRunAt = Math.max(stats.lastRunAt, lastRunAt);
  return stats;
}
