import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const connections: CommandDeclaration = {
  name: "connections",
  summary: "List, test and define the connections of a runtime to other systems.",
  details:
    "Without an action, lists the connections with their state and the flows that use them. `test` connects and prints the name and version that the server reports. `put` creates or replaces a connection from a JSON or YAML file, after testing it. `remove` deletes a connection that no flow uses.",
  arguments: [
    { name: "action", values: ["list", "test", "put", "remove"], doc: "Action: `list` (default), `test`, `put` or `remove`." },
    { name: "id", doc: "Id of the connection (default for test: all)." },
    { name: "file", doc: "For put: a JSON or YAML file with `type` and `values`." },
  ],
  flags: [{ name: "force", doc: "For put: save the connection even if its test fails." }, jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [
    { doc: "List connections and their state", command: "sluice connections" },
    { doc: "Test all connections", command: "sluice connections test" },
  ],
  exits: {
    0: "success; every tested connection works",
    1: "a connection does not work, or the runtime is unreachable or rejected the request",
    2: "invalid command line or file",
  },
  load: () => import("./run-connections.ts"),
};
