import type { CommandDeclaration } from "../../command/declaration.ts";
import { includedDesignerFlags } from "../designer/designer-flags.ts";

export const start: CommandDeclaration = {
  name: "start",
  summary: "Start the runtime and the designer, with a generated deploy token stored in the data directory.",
  details: "The log is written to standard output: readable in a terminal, as JSON otherwise (--log-format).",
  flags: includedDesignerFlags,
  moreFlags: async () => (await import("../run/setting-flags.ts")).settingFlags(),
  variables: {
    SERVICE_PORT: "port of the runtime (default 8080)",
    SERVICE_HOST: "address that the runtime listens on (default 127.0.0.1)",
    SERVICE_DATA_DIR: "data directory, with flows and the deploy token (default ./sluice-data)",
    DESIGNER_PORT: "port of the designer (default 8090)",
    DESIGNER_WORKSPACE: "folder with the flows of the designer (default ./workspace)",
  },
  examples: [{ doc: "Use free ports and another data directory", command: "sluice start --port 0 --designer-port 0 --data-dir ./data", until: "Runtime " }],
  exits: { 0: "stopped; all runs finished", 1: "could not start, or runs were aborted", 2: "invalid command line or setting" },
  load: () => import("./run-start.ts"),
};
