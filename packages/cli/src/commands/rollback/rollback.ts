import type { CommandDeclaration } from "../../command/declaration.ts";
import { authorVariables, commentFlag, jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const rollback: CommandDeclaration = {
  name: "rollback",
  summary: "Deploy an earlier version of a flow again, and show what changes.",
  details:
    "The text, the parameters and the tests of that version are deployed as a new version, with the same checks as any deployment and without dropping a request. Secret parameters keep their current values. The rollback is rejected if the flow was changed elsewhere in the meantime.",
  arguments: [{ name: "flow", doc: "Flow id.", required: true, kind: "id" }],
  flags: [
    {
      name: "to",
      value: "revision",
      number: { min: 1 },
      doc: "The version to deploy, as listed by `sluice versions` (default: the newest one before the running version that differs from it).",
    },
    { name: "dry-run", doc: "Show what would change without deploying." },
    { name: "tests", values: ["required", "skip"], default: "skip", doc: "Whether the tests of that version must pass first." },
    commentFlag,
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: { ...runtimeVariables, ...authorVariables },
  examples: [{ doc: "Preview a rollback to the first version", command: "sluice rollback orders --to 1 --dry-run" }],
  exits: {
    0: "rolled back, or nothing to do",
    1: "the rollback was rejected and the current version is still running, or the runtime is unreachable or rejected the token",
    2: "invalid command line",
  },
  load: () => import("./run-rollback.ts"),
};
