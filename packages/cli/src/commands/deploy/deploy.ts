import type { CommandDeclaration } from "../../command/declaration.ts";
import { authorVariables, commentFlag, jsonFlag, paramFlag, profileFlag, runtimeFlags, runtimeVariables, yesFlag } from "../../command/shared-flags.ts";

export const deploy: CommandDeclaration = {
  name: "deploy",
  summary: "Deploy flows with their Kamelets, value mappings, message mappings and access policies, and show what changes.",
  details:
    "A folder is deployed with all its artifacts: flows (*.yaml), value-mappings/<id>.json|csv|xml, message-mappings/<id>.json and policies/<flow>.json. " +
    "Kamelets that a flow uses are deployed with it if they are files of the project: next to the flow, or in a folder `kamelets` in the folder of the flow or one of its parent folders. Parameters come from --param, " +
    "<flow>.params.json, and application.properties in the folder of the flow or above it. Flows and Kamelets are validated before anything is changed; mappings and policies are validated when they are installed. The deployment is rejected if an artifact was changed elsewhere in the meantime, and rolled back if the runtime rejects one artifact. " +
    "With --prune, the runtime then has the flows, Kamelets, mappings and policies of the folders and no others; connections are never removed. Everything that would be removed is listed before anything is changed. A flow whose file was renamed is removed just before the new one is installed. " +
    "Without a folder `policies`, the policies of flows that stay are kept, because their webhooks would be open. --prune is rejected if the folders have no flow in common with the runtime.",
  arguments: [{ name: "paths", doc: "Flow files or folders.", required: true, many: true, completes: "files" }],
  flags: [
    { name: "dry-run", doc: "Show what would change without deploying." },
    { name: "prune", doc: "Also remove what is deployed but not in the folders, after asking." },
    yesFlag,
    {
      name: "tests",
      values: ["required", "skip"],
      default: "skip",
      doc: "Whether the runtime runs the tests of each flow first and rejects flows whose tests fail.",
    },
    { name: "id", value: "id", kind: "id", doc: "Flow id, if a single file is deployed (default: the file name)." },
    paramFlag,
    profileFlag,
    commentFlag,
    jsonFlag,
    ...runtimeFlags,
  ],
  variables: { ...runtimeVariables, ...authorVariables },
  examples: [
    { doc: "Preview the changes", command: "sluice deploy orders --dry-run" },
    { doc: "Deploy only if the tests pass", command: "sluice deploy orders --tests required" },
    { doc: "List what a deployment of a whole folder would remove", command: "sluice deploy orders --prune --dry-run" },
    { doc: "Make the runtime equal to the folder, in a script", command: "sluice deploy orders --prune --yes" },
  ],
  exits: {
    0: "deployed, or nothing to do",
    1: "the deployment was rejected and the previous versions are still running, something was not removed or the removal was not confirmed, nothing to deploy was found, or the runtime is unreachable or rejected the token",
    2: "invalid command line or file, or --yes is missing where nobody can be asked",
  },
  load: () => import("./run-deploy.ts"),
};
