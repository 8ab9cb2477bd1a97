import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const logs: CommandDeclaration = {
  name: "logs",
  summary: "Follow the log of the runtime and its flows.",
  flags: [
    { name: "flow", value: "id", doc: "Only show this flow." },
    { name: "route", value: "id", doc: "Only show this route." },
    { name: "run", value: "id", doc: "Only show this run." },
    { name: "level", values: ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"], doc: "Only show records of this level and above." },
    { name: "grep", value: "text", doc: "Only show records that contain this text." },
    { name: "replay", value: "count", doc: "Start with this many past records." },
    { name: "for", value: "seconds", doc: "Stop after this many seconds." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "Print the last 20 records and follow for one second", command: "sluice logs --replay 20 --for 1" }],
  exits: { 0: "stopped", 1: "the runtime is unreachable or rejected the request", 2: "invalid command line", 130: "interrupted" },
  load: () => import("./run-logs.ts"),
};
