import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const versions: CommandDeclaration = {
  name: "versions",
  summary: "List the stored versions of a flow, or show how one differs from the current version.",
  details:
    "The newest version comes first. A version consists of the text, the parameters and the tests of a deployment; values of secret parameters are not stored in it. SERVICE_VERSIONS and SERVICE_VERSION_BYTES of the runtime limit how many are stored.",
  arguments: [
    { name: "flow", doc: "Flow id.", required: true, kind: "id" },
    { name: "revision", doc: "Show what a rollback to this version would change.", kind: "revision" },
  ],
  flags: [{ name: "yaml", doc: "With a revision: print its text instead of the differences." }, jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [
    { doc: "List the versions of a flow", command: "sluice versions orders" },
    { doc: "Save the text of the first version", command: "sluice versions orders 1 --yaml > orders-1.yaml" },
  ],
  exits: { 0: "listed", 1: "the flow or the version does not exist, or the runtime is unreachable or rejected the token", 2: "invalid command line" },
  load: () => import("./run-versions.ts"),
};
