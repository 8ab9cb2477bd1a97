import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const doctor: CommandDeclaration = {
  name: "doctor",
  summary: "Check this machine and the connection to the runtime: Node, platform, optional parts, ports, permissions, token, clock, nodes of a cluster.",
  flags: [jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [{ doc: "Run all checks", command: "sluice doctor" }],
  exits: { 0: "all checks passed", 1: "a check failed", 2: "invalid command line or setting" },
  load: () => import("./run-doctor.ts"),
};
