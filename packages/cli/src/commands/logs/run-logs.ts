import type { Call } from "../../command/declaration.ts";
import { eventLine } from "../../runtime/event-lines.ts";
import { follow } from "../trace/run-trace.ts";

export function run(call: Call): Promise<number> {
  return follow(call, "GET /logs/stream", (event) => eventLine(event, call.terminal));
}
