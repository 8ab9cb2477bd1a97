import type { Runtime } from "@sluice/engine";
import type { RunCounts } from "../metrics/run-counts.ts";
import type { WorkerFigures } from "./messages.ts";

export interface FiguresParts {
  readonly startedAt: number;
  readonly runtime: Runtime;
  readonly counts: RunCounts;
  readonly connections: number;
  readonly webhookCalls: number;
  /** Takes secrets out of a text. */
  hide(text: string): string;
}

/** What this worker has counted; routes that never ran have nothing to add. */
export function workerFigures({ startedAt, runtime, counts, connections, webhookCalls, hide }: FiguresParts): WorkerFigures {
  return {
    pid: process.pid,
    startedAt,
    connections,
    webhookCalls,
    counts: counts.list().map((count) => ({ ...count })),
    routes: [...runtime.routes.values()]
      .filter(({ stats }) => stats.total > 0 || stats.inflight > 0)
      .map(({ identity, stats }) => ({ id: identity.id, ...stats, lastError: stats.lastError === undefined ? undefined : hide(stats.lastError) })),
  };
}
