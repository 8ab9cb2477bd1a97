import type { Runtime } from "@sluice/engine";
import type { HttpByteMetrics } from "../http/http-bytes.ts";
import type { RunCounts } from "../metrics/run-counts.ts";
import type { RouteMetrics, WorkerMetrics } from "../other-workers/worker-metrics.ts";
import type { MetricDeltas } from "./messages.ts";

export interface WorkerMetricsParts {
  readonly startedAt: number;
  readonly runtime: Runtime;
  readonly counts: RunCounts;
  readonly connections: number;
  readonly webhookCalls: number;
  readonly httpBytes: HttpByteMetrics;
  /** Masks secrets in a string. */
  hide(text: string): string;
}

/** This worker's metrics. Routes that never ran are omitted. */
export function workerMetrics({ startedAt, runtime, counts, connections, webhookCalls, httpBytes, hide }: WorkerMetricsParts): WorkerMetrics {
  return {
    pid: process.pid,
    startedAt,
    connections,
    webhookCalls,
    httpBytes,
    counts: counts.list().map((count) => ({ ...count })),
    sources: counts.sources(),
    routes: [...runtime.routes.values()]
      .filter(({ stats }) => stats.total > 0 || stats.inflight > 0)
      .map(({ identity, stats }) => ({
        id: identity.id,
        flowHash: identity.flowHash,
        ...stats,
        lastError: stats.lastError === undefined ? undefined : hide(stats.lastError),
      })),
  };
}

const reportEveryMs = 250;

const endedOf = ({ completed, failed, cancelled, discarded }: RouteMetrics): number => completed + failed + cancelled + discarded;

/** Sends metric deltas periodically, so that little is lost if the process crashes. Sends nothing when nothing changed. */
export function reportMetricDeltas(metrics: () => WorkerMetrics, counts: RunCounts, report: (deltas: MetricDeltas) => void): () => void {
  const reported = new Map<string, number>();
  const keyOf = ({ flowId, routeId }: RouteMetrics): string => `${flowId} ${routeId}`;
  const timer = setInterval(() => {
    if (counts.list().every((count) => reported.get(keyOf(count)) === endedOf(count))) return;
    const now = metrics();
    const changed = now.counts.filter((count) => reported.get(keyOf(count)) !== endedOf(count));
    for (const count of changed) reported.set(keyOf(count), endedOf(count));
    const ids = new Set(changed.map(({ routeId }) => routeId));
    report({ counts: changed, routes: now.routes.filter(({ id }) => ids.has(id)) });
  }, reportEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
