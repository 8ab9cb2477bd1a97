import type { CommandDeclaration } from "../../command/declaration.ts";
import { paramFlag } from "../../command/shared-flags.ts";

export const dev: CommandDeclaration = {
  name: "dev",
  summary: "Work on flows: serves them, reloads them on save, and shows every run step by step.",
  details:
    "Nothing is kept: the runtime has a data directory of its own that goes when it ends. A flow that is wrong is told with its line; the version before it stays in service. " +
    "One process serves, whatever SERVICE_WORKERS says.",
  arguments: [{ name: "paths", doc: "Flow files or folders (default: the current folder).", many: true, completes: "files" }],
  flags: [
    { name: "port", value: "port", default: "8080", doc: "The port to listen on; 0 picks a free one." },
    { name: "designer", doc: "Start the designer too (DESIGNER_PORT, DESIGNER_WORKSPACE)." },
    { name: "quiet", doc: "Show logs only, not every step." },
    paramFlag,
  ],
  examples: [{ doc: "Work on a folder of flows", command: "sluice dev orders --port 0", until: "Serving" }],
  exits: { 0: "ended", 1: "could not start", 2: "the command line is wrong" },
  load: () => import("./run-dev.ts"),
};
