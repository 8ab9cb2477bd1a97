import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const runs: CommandDeclaration = {
  name: "runs",
  summary: "List the last runs, or show one with its steps.",
  arguments: [{ name: "run", doc: "The run to show; last is the newest." }],
  flags: [
    { name: "flow", value: "id", doc: "Only runs of this flow." },
    { name: "route", value: "id", doc: "Only runs of this route." },
    { name: "status", values: ["running", "completed", "failed", "retrying", "discarded", "cancelled"], doc: "Only runs of this status." },
    { name: "limit", short: "n", value: "count", default: "20", doc: "How many at most." },
    { name: "follow", doc: "Go on with new runs as they end." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [
    { doc: "The last failed runs", command: "sluice runs --status failed --limit 5" },
    { doc: "The newest run, step by step", command: "sluice runs last" },
  ],
  exits: { 0: "listed", 1: "the runtime does not answer or has no such run", 2: "the command line is wrong", 130: "interrupted" },
  load: () => import("./run-runs.ts"),
};
