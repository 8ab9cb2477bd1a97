import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables, yesFlag } from "../../command/shared-flags.ts";

export const connections: CommandDeclaration = {
  name: "connections",
  summary: "List, show, test, define and remove the connections of a runtime to other systems.",
  actions: [
    { name: "list", summary: "List the connections with their state and the flows that use them.", load: () => import("./list-connections.ts") },
    {
      name: "show",
      summary: "Show a connection with masked secrets.",
      arguments: [{ name: "connection", doc: "Id of the connection.", required: true, kind: "id" }],
      load: () => import("./show-connection.ts"),
    },
    {
      name: "test",
      summary: "Connect, and print the name and version that each server reports.",
      arguments: [{ name: "connections", doc: "Ids of the connections (default: all).", many: true, kind: "id" }],
      load: () => import("./test-connections.ts"),
    },
    {
      name: "put",
      summary: "Create or replace a connection from a file, after testing it.",
      arguments: [
        { name: "connection", doc: "Id of the connection.", required: true, kind: "id" },
        { name: "file", doc: "A JSON or YAML file with `type` and `values`.", required: true, completes: "files" },
      ],
      flags: [{ name: "force", doc: "Save the connection even if its test fails." }],
      load: () => import("./put-connection.ts"),
    },
    {
      name: "remove",
      summary: "Remove connections that no flow uses.",
      arguments: [{ name: "connections", doc: "Ids of the connections.", required: true, many: true, kind: "id" }],
      flags: [yesFlag],
      load: () => import("./remove-connections.ts"),
    },
  ],
  flags: [jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [
    { doc: "List connections and their state", command: "sluice connections" },
    { doc: "Define a connection from a file, even if the server is not running yet", command: "sluice connections put shop shop.json --force" },
    { doc: "Show it with masked secrets", command: "sluice connections show shop" },
    { doc: "Test all connections", command: "sluice connections test" },
    { doc: "Remove a connection that no flow uses, without being asked", command: "sluice connections remove shop --yes" },
  ],
  exits: {
    0: "success; every tested connection works",
    1: "a connection does not work or does not exist, there is none to test, the removal was not confirmed, or the runtime is unreachable or rejected the request",
    2: "invalid command line or file, or --yes is missing where nobody can be asked",
  },
};
