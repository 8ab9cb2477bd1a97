import type { RunCounts } from "../metrics/run-counts.ts";
import type { RouteMetrics, WorkerMetrics } from "../other-workers/worker-metrics.ts";
import type { ChangedMetrics } from "./messages.ts";

const reportEveryMs = 250;

const endedOf = ({ completed, failed, cancelled, discarded }: RouteMetrics): number => completed + failed + cancelled + discarded;

/** Periodically sends the totals of the routes whose counts changed, so that little is lost if the process crashes. Sends nothing when nothing changed. */
export function reportChangedMetrics(metrics: () => WorkerMetrics, counts: RunCounts, report: (changes: ChangedMetrics) => void): () => void {
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
