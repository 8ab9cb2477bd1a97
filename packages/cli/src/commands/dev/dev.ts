import type { CommandDeclaration } from "../../command/declaration.ts";
import { paramFlag, profileFlag } from "../../command/shared-flags.ts";
import { includedDesignerFlags } from "../designer/designer-flags.ts";

export const dev: CommandDeclaration = {
  name: "dev",
  summary: "Run flows for development: reload them on save and print each step of every run.",
  details:
    "Nothing is stored: the runtime uses a temporary data directory, unless --data-dir names one. Mistakes are reported with the line number and a fix; the previous version of the flow keeps running. " +
    "Always uses one process; SERVICE_WORKERS is ignored. Runs and log records are printed readable in a terminal, as JSON otherwise (--log-format).",
  arguments: [{ name: "paths", doc: "Flow files or folders (default: the current folder).", many: true, completes: "files" }],
  flags: [
    { name: "designer", doc: "Also start the designer." },
    ...includedDesignerFlags,
    { name: "quiet", doc: "Print logs only, not each step." },
    paramFlag,
    profileFlag,
  ],
  moreFlags: async () => (await import("../run/setting-flags.ts")).settingFlags(["profile", "watch", "workers", "drainMs"]),
  examples: [{ doc: "Run a folder of flows", command: "sluice dev orders --port 0", until: "Serving" }],
  exits: { 0: "stopped", 1: "could not start", 2: "invalid command line" },
  load: () => import("./run-dev.ts"),
};
