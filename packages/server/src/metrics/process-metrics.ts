// The metrics of one process as it reports them to another: a worker to the leader, or a node to another node.
import type { Runtime } from "@sluice/engine";
import type { HttpByteMetrics } from "../http/http-bytes.ts";
import type { WorkerMetrics } from "../other-workers/worker-metrics.ts";
import type { RunCounts } from "./run-counts.ts";

interface WorkerMetricsParts {
  readonly startedAt: number;
  readonly runtime: Runtime;
  readonly counts: RunCounts;
  readonly connections: number;
  readonly webhookCalls: number;
  readonly httpBytes: HttpByteMetrics;
  /** Masks secrets in a string. */
  mask(text: string): string;
}

/** This worker's metrics. Routes that never ran are omitted. */
export function workerMetrics({ startedAt, runtime, counts, connections, webhookCalls, httpBytes, mask }: WorkerMetricsParts): WorkerMetrics {
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
        lastError: stats.lastError === undefined ? undefined : mask(stats.lastError),
      })),
  };
}
