import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag } from "../../command/shared-flags.ts";
import { templateNames } from "./template-names.ts";

export const newCommand: CommandDeclaration = {
  name: "new",
  summary: "Begin a flow from a template, with tests that pass.",
  details: `Templates: ${Object.entries(templateNames)
    .map(([name, text]) => `${name} (${text})`)
    .join(", ")}.`,
  arguments: [
    { name: "template", doc: "What kind of flow.", required: true, values: Object.keys(templateNames) },
    { name: "folder", doc: "The folder to make; its name becomes the flow's id.", required: true, completes: "files" },
  ],
  flags: [jsonFlag],
  examples: [{ doc: "A webhook in a folder of its own", command: "sluice new webhook invoices" }],
  exits: { 0: "made", 2: "the folder holds files already, or its name is no id" },
  load: () => import("./run-new.ts"),
};
