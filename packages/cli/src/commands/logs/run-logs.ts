import type { Call } from "../../command/declaration.ts";
import { eventLine } from "../../runtime/event-lines.ts";
import { follow } from "../trace/run-trace.ts";

export function run(call: Call): Promise<number> {
  const filters = { flowId: "flow", routeId: "route", runId: "run", level: "level", grep: "grep", replay: "replay" };
  return follow(call, "GET /logs/stream", filters, (event) => eventLine(event, call.terminal));
}
