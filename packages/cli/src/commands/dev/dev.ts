import type { CommandDeclaration } from "../../command/declaration.ts";
import { paramFlag, profileFlag } from "../../command/shared-flags.ts";

export const dev: CommandDeclaration = {
  name: "dev",
  summary: "Run flows for development: reload them on save and print each step of every run.",
  details:
    "Nothing is stored: the runtime uses a temporary data directory. Mistakes are reported with the line number and a fix; the previous version of the flow keeps running. " +
    "Always uses one process; SERVICE_WORKERS is ignored.",
  arguments: [{ name: "paths", doc: "Flow files or folders (default: the current folder).", many: true, completes: "files" }],
  flags: [
    { name: "port", value: "port", default: "8080", doc: "Port to listen on; 0 selects a free port." },
    { name: "designer", doc: "Also start the designer (DESIGNER_PORT, DESIGNER_WORKSPACE)." },
    { name: "quiet", doc: "Print logs only, not each step." },
    paramFlag,
    profileFlag,
  ],
  examples: [{ doc: "Run a folder of flows", command: "sluice dev orders --port 0", until: "Serving" }],
  exits: { 0: "stopped", 1: "could not start", 2: "invalid command line" },
  load: () => import("./run-dev.ts"),
};
