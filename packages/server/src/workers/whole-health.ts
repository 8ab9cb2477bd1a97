// The health of one worker and the figures of the others as the health of the service.
import type { RouteStatsFigures } from "./messages.ts";
import type { OtherWorkers } from "./service-view.ts";

type Json = Readonly<Record<string, unknown>>;

/** Adds what the other workers counted to each route, and the workers themselves for those who may see them. With one missing the service is not whole. */
export function wholeHealth(own: Json, { present, missing, lastDeath }: OtherWorkers, trusted: boolean): Json {
  const byRoute = new Map<string, RouteStatsFigures[]>();
  for (const figures of present.flatMap(({ routes }) => routes)) byRoute.set(figures.id, [...(byRoute.get(figures.id) ?? []), figures]);
  const routes = (own["routes"] as readonly Json[]).map((route) => withFigures(route, byRoute.get(route["id"] as string) ?? []));
  const runsOf = (stats: readonly { readonly total?: unknown }[]): number => stats.reduce((sum, { total }) => sum + (total as number), 0);
  const workers = [
    { pid: process.pid, leads: true, startedAt: own["startedAt"], runs: runsOf(own["routes"] as readonly Json[]) },
    ...present.map(({ pid, startedAt, routes: stats }) => ({ pid, leads: false, startedAt: new Date(startedAt).toISOString(), runs: runsOf(stats) })),
  ];
  const status = own["status"] === "UP" && missing > 0 ? "DEGRADED" : own["status"];
  const end = lastDeath === undefined ? null : { at: new Date(lastDeath.at).toISOString(), pid: lastDeath.pid, how: lastDeath.how };
  return { ...own, status, routes, ...(trusted ? { workers, missingWorkers: missing, lastWorkerEnd: end } : {}) };
}

function withFigures(route: Json, others: readonly RouteStatsFigures[]): Json {
  if (others.length === 0) return route;
  const sum = (name: "inflight" | "total" | "failed"): number => others.reduce((total, figures) => total + figures[name], route[name] as number);
  const [latest] = [...others].sort((one, other) => other.lastRunAt - one.lastRunAt);
  const ownLast = route["lastRunAt"] === null ? 0 : Date.parse(route["lastRunAt"] as string);
  const lastRunAt = Math.max(ownLast, latest?.lastRunAt ?? 0);
  const lastError = others.find((figures) => figures.lastError !== undefined)?.lastError ?? null;
  return {
    ...route,
    inflight: sum("inflight"),
    total: sum("total"),
    failed: sum("failed"),
    lastRunAt: lastRunAt === 0 ? null : new Date(lastRunAt).toISOString(),
    ...("lastError" in route ? { lastError: route["lastError"] ?? lastError } : {}),
  };
}
