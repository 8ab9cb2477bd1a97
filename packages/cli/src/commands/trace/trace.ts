import type { CommandDeclaration } from "../../command/declaration.ts";
import { forFlag, jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";
import { queryFlags } from "../../runtime/query-flags.ts";
import { queryParameters } from "../../runtime/query-parameters.ts";

export const trace: CommandDeclaration = {
  name: "trace",
  summary: "Follow runs step by step, live.",
  flags: [
    ...queryFlags("GET /trace/stream", {
      change: {
        type: { value: "types", doc: `Only these event types, comma-separated: ${queryParameters["GET /trace/stream"].type.values.join(", ")}.` },
        body: { default: "preview", doc: "How much of each message body to show." },
        replay: {
          doc: "Start with this many past events. They are stored only while a client follows the trace, and for one minute afterwards; use `sluice runs` for older runs.",
        },
      },
    }),
    forFlag,
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [{ doc: "Follow one route for a second", command: "sluice trace --route orders --for 1" }],
  exits: {
    0: "stopped",
    1: "the flow or the route does not exist, or the runtime is unreachable or rejected the request",
    2: "invalid command line",
    130: "interrupted",
  },
  load: () => import("./run-trace.ts"),
};
