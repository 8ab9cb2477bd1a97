import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";
import { queryFlags } from "../../runtime/query-flags.ts";

export const runs: CommandDeclaration = {
  name: "runs",
  summary: "List recent runs, or show one run with its steps.",
  arguments: [{ name: "run", doc: "Run id to show, or `last` for the newest run that matches the filters.", kind: "run or last" }],
  flags: [
    ...queryFlags("GET /runs", { change: { limit: { short: "n", default: "20" } } }),
    { name: "follow", doc: "Keep printing new runs as they finish." },
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [
    { doc: "List the last failed runs", command: "sluice runs --status failed --limit 5" },
    { doc: "Show the steps of the newest run", command: "sluice runs last" },
  ],
  exits: { 0: "listed", 1: "the run does not exist, or the runtime is unreachable or rejected the request", 2: "invalid command line", 130: "interrupted" },
  load: () => import("./run-runs.ts"),
};
