import type { CommandDeclaration } from "../../command/declaration.ts";
import { forFlag, jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";
import { queryFlags } from "../../runtime/query-flags.ts";

export const logs: CommandDeclaration = {
  name: "logs",
  summary: "Follow the log of the runtime and its flows.",
  flags: [
    ...queryFlags("GET /logs/stream", {
      change: { level: { value: undefined, values: ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"], doc: "Only records of this level and above." } },
    }),
    forFlag,
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "Print the last 20 records and follow for one second", command: "sluice logs --replay 20 --for 1" }],
  exits: {
    0: "stopped",
    1: "the flow or the route does not exist, or the runtime is unreachable or rejected the request",
    2: "invalid command line",
    130: "interrupted",
  },
  load: () => import("./run-logs.ts"),
};
