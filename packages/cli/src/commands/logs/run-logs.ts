import type { Call } from "../../command/declaration.ts";
import { logLine } from "../../runtime/event-lines.ts";
import { follow } from "../trace/run-trace.ts";

export function run(call: Call): Promise<number> {
  const filters = { flowId: "flow", routeId: "route", runId: "run", level: "level", grep: "grep", replay: "replay" };
  return follow(call, "/logs/stream", filters, (event) => logLine(event, call.terminal.style));
}
