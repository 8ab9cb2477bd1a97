// Ending well: what was accepted is answered, what is under way is finished, and what cannot be is named.
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
  /** False when something had to be abandoned. */
  readonly drained: boolean;
  readonly abandoned: DrainReport["abandoned"];
}

/** Requests that were on their way when the end began still find their routes for this long. */
const graceMs = 500;

export async function shutDown({ listener, runtime, log, hubs, drainMs, clock }: ShutdownParts): Promise<ShutdownReport> {
  log.write("INFO", "sluice", "shutting down");
  for (const hub of hubs) hub.close();
  const closing = listener.drain(drainMs + graceMs);
  await Promise.race([closing, new Promise<void>((resolve) => clock.after(graceMs, resolve))]);
  const report = await runtime.stop();
  const { unanswered } = await closing;
  for (const line of abandonedLines(report)) log.write("ERROR", "sluice", line);
  if (unanswered > 0) log.write("ERROR", "sluice", `${unanswered} requests were cut off without an answer`);
  const drained = report.drained && unanswered === 0;
  log.write("INFO", "sluice", drained ? "stopped" : "stopped before everything was done");
  return { drained, abandoned: report.abandoned };
}

/** One line per place, with how many runs stood there. */
function abandonedLines({ abandoned }: DrainReport): readonly string[] {
  const places = new Map<string, number>();
  for (const { routeId, stepId } of abandoned) {
    const place = `route '${routeId}' at step '${stepId ?? "none"}'`;
    places.set(place, (places.get(place) ?? 0) + 1);
  }
  return [...places].map(([place, count]) => `abandoned ${count} ${count === 1 ? "run" : "runs"} of ${place}: not done within the drain limit`);
}
