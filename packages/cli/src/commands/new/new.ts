import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag } from "../../command/shared-flags.ts";
import { connectorText, functionText, templateNames } from "./template-names.ts";

export const newCommand: CommandDeclaration = {
  name: "new",
  summary: "Create a flow or a connector from a template, with passing tests, or a function that a flow calls.",
  details: `Templates: ${Object.entries(templateNames)
    .map(([name, text]) => `${name} (${text})`)
    .join(", ")}, connector (${connectorText}), function (${functionText}).`,
  arguments: [
    { name: "template", doc: "Flow template, `connector` or `function`.", required: true, values: [...Object.keys(templateNames), "connector", "function"] },
    {
      name: "folder",
      doc: "New folder; its name becomes the flow id or the connector scheme. For a function, the name of the bean or class.",
      required: true,
      completes: "files",
    },
  ],
  flags: [
    { name: "method", value: "name", doc: "With `function`: the method that the flow calls." },
    {
      name: "as",
      value: "kind",
      doc: "With `function`: how the flow uses it.",
      default: "function",
      values: ["function", "aggregation-strategy", "comparator", "idempotent-repository"],
    },
    { name: "file", value: "file", doc: "With `function`: the module to write to (default: SERVICE_FUNCTIONS, else functions.mjs)." },
    {
      name: "packages",
      value: "folder",
      doc: "With `connector`: the folder with the tarballs that `npm run packages` writes in a clone of Sluice, because the packages are not on the npm registry yet.",
    },
    jsonFlag,
  ],
  examples: [
    { doc: "Create a webhook flow", command: "sluice new webhook invoices" },
    { doc: "Create a connector package for the scheme `acme`", command: "sluice new connector acme" },
    { doc: "Create the function for `bean: {ref: orders, method: total}`", command: "sluice new function orders --method total" },
  ],
  exits: { 0: "created", 2: "the folder is not empty, its name is not a valid id or scheme, or the module already exports the function" },
  load: () => import("./run-new.ts"),
};
