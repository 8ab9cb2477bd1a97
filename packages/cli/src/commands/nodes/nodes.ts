import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const nodes: CommandDeclaration = {
  name: "nodes",
  summary: "List the nodes of a cluster: whether each is ready, its version, and the configuration it runs.",
  flags: [jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [{ doc: "List the nodes of the cluster that the runtime belongs to", command: "sluice nodes" }],
  exits: { 0: "success", 1: "the runtime is unreachable or rejected the request", 2: "invalid command line" },
  load: () => import("./run-nodes.ts"),
};
