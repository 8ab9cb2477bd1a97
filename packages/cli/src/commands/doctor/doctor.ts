import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const doctor: CommandDeclaration = {
  name: "doctor",
  summary: "Check this machine and the way to the runtime: Node, ports, permissions, token, clock.",
  flags: [jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [{ doc: "Is everything in order?", command: "sluice doctor" }],
  exits: { 0: "nothing is in the way", 1: "something is", 2: "the command line or a setting is wrong" },
  load: () => import("./run-doctor.ts"),
};
