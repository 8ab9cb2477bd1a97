import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag } from "../../command/shared-flags.ts";

export const kamelets: CommandDeclaration = {
  name: "kamelets",
  summary: "List the available Kamelets, check that they can run, or show the parameters of one.",
  details:
    "Kamelets are files <name>.kamelet.yaml as Camel publishes them. They are searched for in the folders passed with --folder, else in the current folder, the kamelets folders in it and in its parent folders " +
    "up to the project root, the kamelets folder of the data directory and the locations in SERVICE_KAMELETS. `check` reports for each Kamelet whether this runtime has every connector, step and bean it needs.",
  arguments: [
    { name: "action", doc: "Action: `list`, `check` or `describe`.", required: true, values: ["list", "check", "describe"] },
    { name: "names", doc: "Names of Kamelets (default: all; `describe` needs one).", many: true },
  ],
  flags: [{ name: "folder", value: "folder", many: true, doc: "Search only this folder; repeatable." }, jsonFlag],
  examples: [
    { doc: "List all Kamelets", command: "sluice kamelets list" },
    { doc: "Check which Kamelets can run", command: "sluice kamelets check" },
  ],
  exits: { 0: "success; every checked Kamelet can run", 1: "a checked Kamelet cannot run", 2: "unknown Kamelet or folder" },
  load: () => import("./run-kamelets.ts"),
};
