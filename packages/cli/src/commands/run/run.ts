import type { CommandDeclaration } from "../../command/declaration.ts";

export const run: CommandDeclaration = {
  name: "run",
  summary: "Start the runtime with the deployed flows and the flow files passed as arguments.",
  details:
    "The token of the management API is read from SERVICE_DEPLOY_TOKEN only. Flow files passed as arguments run in addition to the deployed flows; they are never modified. A flow with an error is not served, and the others are: the log and `sluice status` name it. If none of the files can be used and no flow is deployed, the command ends with exit code 1, unless --watch loads the files when they change.",
  arguments: [{ name: "paths", doc: "Additional flow files or folders.", many: true, completes: "files" }],
  moreFlags: async () => (await import("./setting-flags.ts")).settingFlags(),
  examples: [
    { doc: "Run the flows deployed in ./sluice-data", command: "sluice run --port 0", until: '"baseUrl"' },
    { doc: "Also run a folder of flows, and reload them when they change", command: "sluice run orders --port 0 --watch", until: '"baseUrl"' },
  ],
  exits: { 0: "stopped; all runs finished", 1: "could not start, no flow could be used, or runs were aborted", 2: "invalid command line or setting" },
  load: () => import("./run-run.ts"),
};
