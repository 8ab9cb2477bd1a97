// Graceful shutdown: completes accepted requests and runs in flight, and reports the runs that it had to abandon.
import type { Clock, DrainReport, Log, Runtime } from "@sluice/engine";
import type { HttpListener } from "./http/listener.ts";
import type { EventHub } from "./streams/event-hub.ts";

export interface ShutdownParts {
  readonly listener: HttpListener;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly hubs: readonly EventHub[];
  readonly drainMs: number;
  readonly clock: Clock;
}

export interface ShutdownReport {
  /** False when something was abandoned. */
  readonly drained: boolean;
  readonly abandoned: DrainReport["abandoned"];
}

/** How long the routes keep running after shutdown begins, for requests that are still arriving. */
const graceMs = 500;

export async function shutDown({ listener, runtime, log, hubs, drainMs, clock }: ShutdownParts): Promise<ShutdownReport> {
  log.write("INFO", "sluice", "Shutting down");
  for (const hub of hubs) hub.close();
  const closing = listener.drain(drainMs + graceMs);
  await Promise.race([closing, new Promise<void>((resolve) => clock.after(graceMs, resolve))]);
  const report = await runtime.stop();
  const { unanswered } = await closing;
  for (const line of abandonedLines(report)) log.write("ERROR", "sluice", line);
  if (unanswered > 0) log.write("ERROR", "sluice", `Requests disconnected without a reply: ${unanswered}`);
  const drained = report.drained && unanswered === 0;
  log.write("INFO", "sluice", drained ? "Stopped" : "Stopped before all work was finished");
  return { drained, abandoned: report.abandoned };
}

/** One line per step with the number of abandoned runs. */
function abandonedLines({ abandoned }: DrainReport): readonly string[] {
  const counts = new Map<string, number>();
  for (const { routeId, stepId } of abandoned) {
    const location = `route '${routeId}'${stepId === undefined ? "" : ` at step '${stepId}'`}`;
    counts.set(location, (counts.get(location) ?? 0) + 1);
  }
  return [...counts].map(([location, count]) => `Abandoned ${count} ${count === 1 ? "run" : "runs"} of ${location}: not finished within the drain limit`);
}
