import type { ActionDeclaration, CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag } from "../../command/shared-flags.ts";

const names = { name: "names", doc: "Names of Kamelets (default: all).", many: true, kind: "kamelet" } as const;
const load = async (action: "listKamelets" | "checkKamelets" | "describeKamelet"): ReturnType<ActionDeclaration["load"]> => ({
  run: (await import("./run-kamelets.ts"))[action],
});

export const kamelets: CommandDeclaration = {
  name: "kamelets",
  summary: "List the available Kamelets, check that they can run, or show the parameters of one.",
  details:
    "Kamelets are files <name>.kamelet.yaml as Camel publishes them. They are searched for in the folders passed with --folder, else in the current folder, the kamelets folders in it and in its parent folders " +
    "up to the project root, the kamelets folder of the data directory and the locations in SERVICE_KAMELETS. `check` reports for each Kamelet whether this runtime has every connector, step and bean it needs.",
  actions: [
    { name: "list", summary: "List Kamelets with their type and title.", arguments: [names], load: () => load("listKamelets") },
    { name: "check", summary: "Check that Kamelets can run.", arguments: [names], load: () => load("checkKamelets") },
    {
      name: "describe",
      summary: "Show the parameters of a Kamelet.",
      arguments: [{ name: "name", doc: "Name of the Kamelet.", required: true, kind: "kamelet" }],
      load: () => load("describeKamelet"),
    },
  ],
  flags: [{ name: "folder", value: "folder", many: true, doc: "Search only this folder; repeatable." }, jsonFlag],
  examples: [
    { doc: "List all Kamelets", command: "sluice kamelets list" },
    { doc: "Check which Kamelets can run", command: "sluice kamelets check" },
    { doc: "Show the parameters of a Kamelet", command: "sluice kamelets describe greeter-action" },
  ],
  exits: {
    0: "success; every checked Kamelet can run",
    1: "a checked Kamelet cannot run, a named one does not exist, or none was found",
    2: "invalid command line, folder or Kamelet file",
  },
};
