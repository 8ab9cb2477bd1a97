import type { Death } from "./messages.ts";
import { lostRun } from "../runs/run-facts.ts";
import type { LeadParts } from "./lead.ts";

const named = 20;

/** A worker died: what it had under way failed, and is shown, counted and logged as that. */
export function takeDeath({ worker, pid, how, at, runs }: Death, { history, counts, log }: Pick<LeadParts, "history" | "counts" | "log">): void {
  const message = `worker process ${pid} ended (${how}) while the run was under way; what became of it is not known`;
  for (const run of runs) {
    history.adopt(lostRun(run, { type: "WorkerDied", message, stepId: null }, at));
    counts.lost(run.route, at - run.startedAt);
  }
  for (const { id, route } of runs.slice(0, named)) log.write("ERROR", route.id, `run ${id} of route '${route.id}' was lost: ${message}`);
  const more = runs.length > named ? `, ${runs.length - named} of them not named here` : "";
  log.write(
    "ERROR",
    "sluice.workers",
    `worker ${worker} (process ${pid}) ended with ${how}: ${runs.length} runs were under way${more}; another worker takes its place`,
  );
}
