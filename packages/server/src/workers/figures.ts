import type { Runtime } from "@sluice/engine";
import type { RunCounts } from "../metrics/run-counts.ts";
import type { CountedNews, RouteFigures, WorkerFigures } from "./messages.ts";

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
      .map(({ identity, stats }) => ({
        id: identity.id,
        flowHash: identity.flowHash,
        ...stats,
        lastError: stats.lastError === undefined ? undefined : hide(stats.lastError),
      })),
  };
}

const tellEveryMs = 250;

const endedOf = ({ completed, failed, cancelled, discarded }: RouteFigures): number => completed + failed + cancelled + discarded;

/** Tells what changed by and by, so that little of it is lost with the process; one that counts nothing says nothing. */
export function tellFigures(figures: () => WorkerFigures, counts: RunCounts, tell: (news: CountedNews) => void): () => void {
  const told = new Map<string, number>();
  const keyOf = ({ flowId, routeId }: RouteFigures): string => `${flowId} ${routeId}`;
  const timer = setInterval(() => {
    if (counts.list().every((count) => told.get(keyOf(count)) === endedOf(count))) return;
    const now = figures();
    const changed = now.counts.filter((count) => told.get(keyOf(count)) !== endedOf(count));
    for (const count of changed) told.set(keyOf(count), endedOf(count));
    const ids = new Set(changed.map(({ routeId }) => routeId));
    tell({ counts: changed, routes: now.routes.filter(({ id }) => ids.has(id)) });
  }, tellEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
