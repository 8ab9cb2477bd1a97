import type { Death } from "./messages.ts";
import { lostRun } from "../runs/run-facts.ts";
import type { LeadParts } from "./lead.ts";
import { addStats } from "./route-stats.ts";

const named = 20;

/** A worker died: what it had under way failed, and is shown, counted, traced, told and logged as that. */
export function takeDeath({ worker, pid, how, at, runs }: Death, parts: Pick<LeadParts, "history" | "counts" | "log" | "runtime" | "trace" | "events">): void {
  const { history, counts, log, runtime, trace, events } = parts;
  const message = `worker process ${pid} ended (${how}) while the run was under way; what became of it is not known`;
  const error = { type: "WorkerDied", message, stepId: null };
  for (const run of runs) {
    const { id: runId, route, parentRunId, startedAt } = run;
    const lost = lostRun(run, error, at);
    history.adopt(lost);
    counts.lost(route, at - startedAt);
    trace.runLost(lost);
    const stats = addStats(runtime, { id: route.id, flowHash: route.flowHash, total: 1, failed: 1, lastRunAt: at });
    if (stats !== undefined) stats.lastError = message;
    // As with every failure, only that of the outermost route is news.
    if (parentRunId === undefined) events.emit({ name: "run.failed", flowId: route.flowId, routeId: route.id, details: { runId, stepId: null, error } });
  }
  for (const { id, route } of runs.slice(0, named)) log.write("ERROR", route.id, `run ${id} of route '${route.id}' was lost: ${message}`);
  const more = runs.length > named ? `, ${runs.length - named} of them not named here` : "";
  log.write(
    "ERROR",
    "sluice.workers",
    `worker ${worker} (process ${pid}) ended with ${how}: ${runs.length} runs were under way${more}; another worker takes its place`,
  );
}
