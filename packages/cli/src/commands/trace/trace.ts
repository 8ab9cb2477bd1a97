import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const trace: CommandDeclaration = {
  name: "trace",
  summary: "Follow runs step by step, live.",
  flags: [
    { name: "flow", value: "id", doc: "Only show this flow." },
    { name: "route", value: "id", doc: "Only show this route." },
    { name: "run", value: "id", doc: "Only show this run." },
    { name: "type", value: "types", doc: "Only show these event types, comma-separated; step.* matches all step events." },
    { name: "body", values: ["none", "preview", "full"], default: "preview", doc: "How much of each message body to show." },
    {
      name: "replay",
      value: "count",
      doc: "Start with this many past events. They are stored only while a client follows the trace, and for one minute afterwards; use `sluice runs` for older runs.",
    },
    { name: "for", value: "seconds", doc: "Stop after this many seconds." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "Follow one route for a second", command: "sluice trace --route orders --for 1" }],
  exits: { 0: "stopped", 1: "the runtime is unreachable or rejected the request", 2: "invalid command line", 130: "interrupted" },
  load: () => import("./run-trace.ts"),
};
