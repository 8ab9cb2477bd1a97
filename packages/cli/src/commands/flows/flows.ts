import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables, yesFlag } from "../../command/shared-flags.ts";

export const flows: CommandDeclaration = {
  name: "flows",
  summary: "List, show and remove the deployed flows.",
  details:
    "`sluice deploy` installs flows, `sluice deploy --prune` also removes those that a folder no longer contains. Removing a flow stops its routes after their in-flight runs have completed. " +
    "Its versions and tests are deleted too; its access policy and its dead letters are kept.",
  actions: [
    { name: "list", summary: "List the flows with their status.", load: () => import("./list-flows.ts") },
    {
      name: "show",
      summary: "Show a flow with its routes, parameters and warnings.",
      arguments: [{ name: "flow", doc: "Flow id.", required: true, kind: "id" }],
      flags: [{ name: "yaml", doc: "Print only the YAML of the flow." }],
      load: () => import("./show-flow.ts"),
    },
    {
      name: "remove",
      summary: "Stop the routes of flows and delete the flows.",
      arguments: [{ name: "flows", doc: "Flow ids.", required: true, many: true, kind: "id" }],
      flags: [yesFlag],
      load: () => import("./remove-flows.ts"),
    },
  ],
  flags: [jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [
    { doc: "List the flows", command: "sluice flows" },
    { doc: "Show a flow with its routes", command: "sluice flows show orders" },
    { doc: "Save the YAML of a flow", command: "sluice flows show orders --yaml > orders-deployed.yaml" },
    { doc: "Remove a flow without being asked", command: "sluice flows remove orders --yes" },
  ],
  exits: {
    0: "listed, shown or removed",
    1: "the flow does not exist or was changed in the meantime, the removal was not confirmed, or the runtime is unreachable or rejected the token",
    2: "invalid command line, or --yes is missing where nobody can be asked",
  },
};
