import type { CommandDeclaration } from "../../command/declaration.ts";

export const run: CommandDeclaration = {
  name: "run",
  summary: "Start the runtime with the deployed flows and the flow files passed as arguments.",
  details:
    "The token of the management API is read from SERVICE_DEPLOY_TOKEN only. Flow files passed as arguments run in addition to the deployed flows; they are never modified.",
  arguments: [{ name: "paths", doc: "Additional flow files or folders.", many: true, completes: "files" }],
  moreFlags: async () => (await import("./setting-flags.ts")).settingFlags(),
  examples: [
    { doc: "Run the flows deployed in ./sluice-data", command: "sluice run --port 0", until: '"baseUrl"' },
    { doc: "Also run a folder of flows, and reload them when they change", command: "sluice run orders --port 0 --watch", until: '"baseUrl"' },
  ],
  exits: { 0: "stopped; all runs finished", 1: "could not start, or runs were aborted", 2: "invalid setting" },
  load: () => import("./run-run.ts"),
};
