import type { DrainReport } from "@sluice/engine";
import type { Log } from "@sluice/engine/spi";

/** Logs the runs and triggers that did not finish within the drain limit when the routes of a flow were removed or replaced. */
export function logAbandoned(log: Log, { abandoned }: Pick<DrainReport, "abandoned">, change: "removed" | "replaced"): void {
  for (const { routeId, stepId, runId } of abandoned) {
    const text =
      runId === ""
        ? `The trigger of the ${change} route '${routeId}' did not stop in time`
        : `Cancelled run ${runId} of the ${change} route '${routeId}'${stepId === undefined ? "" : ` at step '${stepId}'`}: it did not finish in time`;
    log.write("WARN", "sluice.flows", text);
  }
}
