import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, paramFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";

export const deploy: CommandDeclaration = {
  name: "deploy",
  summary: "Bring flows into service, with their tables, mappings and access policies; shows what changes first.",
  details:
    "A folder is deployed whole: flows (*.yaml), value-mappings/<id>.json|csv|xml, message-mappings/<id>.json and policies/<flow>.json. Parameters come from --param and from " +
    "<flow>.params.json. Everything is checked before anything is changed; a change that somebody else made meanwhile is refused; when one part is refused, what was already put in is taken back.",
  arguments: [{ name: "paths", doc: "Flow files, or folders.", required: true, many: true, completes: "files" }],
  flags: [
    { name: "dry-run", doc: "Only show what would change." },
    {
      name: "tests",
      values: ["required", "skip"],
      default: "skip",
      doc: "Whether the runtime must run each flow's tests first and refuse a flow whose tests fail.",
    },
    { name: "id", value: "id", doc: "The flow's id, when one file is deployed (default: the file's name)." },
    paramFlag,
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: runtimeVariables,
  examples: [
    { doc: "What would change", command: "sluice deploy orders --dry-run" },
    { doc: "Deploy, but only if the tests pass", command: "sluice deploy orders --tests required" },
  ],
  exits: { 0: "deployed, or nothing to do", 1: "refused; what was there before is in service", 2: "the command line or a file is wrong" },
  load: () => import("./run-deploy.ts"),
};
