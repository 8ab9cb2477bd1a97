// Combines the health of this worker with the metrics of the others.
import { addHttpByteMetrics, type HttpByteMetrics } from "../http/http-bytes.ts";
import type { RouteStatsSnapshot, WorkerMetrics } from "./worker-metrics.ts";
import type { OtherWorkers } from "./service-view.ts";

type Json = Readonly<Record<string, unknown>>;

/** Adds the other workers' counts to each route and, for trusted callers, lists the workers. A missing worker degrades the service. */
export function serviceHealth(own: Json, { present, missing, lastExit }: OtherWorkers, trusted: boolean): Json {
  const routes = addRoutes(own["routes"] as readonly Json[], present);
  const runsOf = (stats: readonly { readonly total?: unknown }[]): number => stats.reduce((sum, { total }) => sum + (total as number), 0);
  const workers = [
    { pid: process.pid, leads: true, startedAt: own["startedAt"], runs: runsOf(own["routes"] as readonly Json[]) },
    ...present.map(({ pid, startedAt, routes: stats }) => ({ pid, leads: false, startedAt: new Date(startedAt).toISOString(), runs: runsOf(stats) })),
  ];
  const status = own["status"] === "UP" && missing > 0 ? "DEGRADED" : own["status"];
  const http = trusted ? addHttpByteMetrics([own["http"] as HttpByteMetrics, ...present.map(({ httpBytes }) => httpBytes)]) : undefined;
  const end = lastExit === undefined ? null : { at: new Date(lastExit.at).toISOString(), pid: lastExit.pid, how: lastExit.how };
  return { ...own, status, routes, ...(trusted ? { http, workers, missingWorkers: missing, lastWorkerEnd: end } : {}) };
}

/** The routes of this process with the counts of others added. */
export function addRoutes(own: readonly Json[], present: readonly Pick<WorkerMetrics, "routes">[]): readonly Json[] {
  const byRoute = new Map<string, RouteStatsSnapshot[]>();
  for (const metrics of present.flatMap(({ routes }) => routes)) byRoute.set(metrics.id, [...(byRoute.get(metrics.id) ?? []), metrics]);
  return own.map((route) => withMetrics(route, byRoute.get(route["id"] as string) ?? []));
}

function withMetrics(route: Json, others: readonly RouteStatsSnapshot[]): Json {
  if (others.length === 0) return route;
  const sum = (name: "inflight" | "total" | "failed"): number => others.reduce((total, metrics) => total + metrics[name], route[name] as number);
  const [latest] = [...others].sort((a, b) => b.lastRunAt - a.lastRunAt);
  const ownLastRunAt = route["lastRunAt"] === null ? 0 : Date.parse(route["lastRunAt"] as string);
  const lastRunAt = Math.max(ownLastRunAt, latest?.lastRunAt ?? 0);
  const lastError = others.find((metrics) => metrics.lastError !== undefined)?.lastError ?? null;
  return {
    ...route,
    inflight: sum("inflight"),
    total: sum("total"),
    failed: sum("failed"),
    lastRunAt: lastRunAt === 0 ? null : new Date(lastRunAt).toISOString(),
    ...("lastError" in route ? { lastError: route["lastError"] ?? lastError } : {}),
  };
}
