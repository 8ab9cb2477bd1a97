import type { CommandDeclaration } from "../../command/declaration.ts";

export const run: CommandDeclaration = {
  name: "run",
  summary: "Start the runtime, with the flows of its data directory and the files given.",
  details:
    "The token of the management API is read from SERVICE_DEPLOY_TOKEN only. Files given here are served beside the flows that were deployed; they are read where they are and never written.",
  arguments: [{ name: "paths", doc: "Flow files, or folders of them, to serve too.", many: true, completes: "files" }],
  moreFlags: async () => (await import("./setting-flags.ts")).settingFlags(),
  examples: [
    { doc: "Serve what is deployed in ./sluice-data", command: "sluice run --port 0", until: '"baseUrl"' },
    { doc: "Serve a folder of flows too, and reload them when they change", command: "sluice run orders --port 0 --watch", until: '"baseUrl"' },
  ],
  exits: { 0: "stopped, everything under way was finished", 1: "could not start, or something had to be abandoned", 2: "a setting is wrong" },
  load: () => import("./run-run.ts"),
};
