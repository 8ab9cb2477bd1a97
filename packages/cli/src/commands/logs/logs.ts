import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const logs: CommandDeclaration = {
  name: "logs",
  summary: "Follow what the runtime and its flows log.",
  flags: [
    { name: "flow", value: "id", doc: "Only this flow." },
    { name: "route", value: "id", doc: "Only this route." },
    { name: "run", value: "id", doc: "Only this run." },
    { name: "level", values: ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"], doc: "Only this level and above." },
    { name: "grep", value: "text", doc: "Only records that hold this text." },
    { name: "replay", value: "count", doc: "Begin with this many past records." },
    { name: "for", value: "seconds", doc: "End after this time instead of following for ever." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "The last 20 records, and what comes within a second", command: "sluice logs --replay 20 --for 1" }],
  exits: { 0: "ended", 1: "the runtime does not answer or refuses", 2: "the command line is wrong", 130: "interrupted" },
  load: () => import("./run-logs.ts"),
};
