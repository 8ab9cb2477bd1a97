import type { WorkerExit } from "../other-workers/worker-metrics.ts";
import { lostRun } from "../runs/run-metadata.ts";
import type { LeaderParts } from "./leader.ts";
import { addStats } from "./route-stats.ts";

const maxListed = 20;

/** Records the in-flight runs of an exited worker as failed: in history, counts, trace, events and log. */
export function recordWorkerExit(
  { worker, pid, how, at, runs }: WorkerExit,
  parts: Pick<LeaderParts, "history" | "counts" | "log" | "runtime" | "trace" | "events">,
): void {
  const { history, counts, log, runtime, trace, events } = parts;
  const message = `worker process ${pid} exited (${how}) during the run; the outcome is unknown`;
  const error = { type: "WorkerExited", message, stepId: null };
  for (const run of runs) {
    const { id: runId, route, parentRunId, startedAt } = run;
    const lost = lostRun(run, error, at);
    history.lost(lost);
    counts.lost(route, at - startedAt);
    trace.runLost(lost);
    const stats = addStats(runtime, { id: route.id, flowHash: route.flowHash, total: 1, failed: 1, lastRunAt: at });
    if (stats !== undefined) stats.lastError = message;
    // As for other failures, only the outermost route emits an event.
    if (parentRunId === undefined) events.emit({ name: "run.failed", flowId: route.flowId, routeId: route.id, details: { runId, stepId: null, error } });
  }
  for (const { id, route } of runs.slice(0, maxListed)) log.write("ERROR", route.id, `Lost run ${id} of route '${route.id}': ${message}`);
  const more = runs.length > maxListed ? `, ${runs.length - maxListed} of them not listed` : "";
  log.write("ERROR", "sluice.workers", `Worker ${worker} (process ${pid}) exited (${how}); lost runs: ${runs.length}${more}; starting a replacement`);
}
