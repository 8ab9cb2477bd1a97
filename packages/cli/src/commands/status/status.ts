import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";
import { queryFlags } from "../../runtime/query-flags.ts";

export const status: CommandDeclaration = {
  name: "status",
  summary: "Show the status of the runtime: uptime, flows, routes, dead letters, connections, memory, and what is wrong.",
  details:
    "With --probe, only the status is asked for, without a token, as by a load balancer or a container platform: `live` succeeds while the runtime serves requests, `ready` fails while it starts or drains.",
  flags: [...queryFlags("GET /health"), jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [
    { doc: "Show the status", command: "sluice status" },
    { doc: "Check in a script whether the runtime accepts requests", command: "sluice status --probe ready" },
  ],
  exits: {
    0: "the status is UP; with --probe, the probe succeeded",
    1: "the status is not UP, the probe failed, or the runtime is unreachable or rejected the token",
    2: "invalid command line",
  },
  load: () => import("./run-status.ts"),
};
