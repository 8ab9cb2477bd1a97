import type { RouteStats, Runtime } from "@sluice/engine";
import type { RouteStatsFigures } from "./messages.ts";

type Added = Pick<RouteStatsFigures, "id" | "flowHash" | "total" | "failed" | "lastRunAt">;

/** Adds what happened in another worker to the figures of a route here; undefined when the route is not there, or is another version. */
export function addStats(runtime: Runtime, { id, flowHash, total, failed, lastRunAt }: Added): RouteStats | undefined {
  const live = runtime.routes.get(id);
  if (live === undefined || live.identity.flowHash !== flowHash) return undefined;
  const { stats } = live;
  stats.total += total;
  stats.failed += failed;
  stats.lastRunAt = Math.max(stats.lastRunAt, lastRunAt);
  return stats;
}
