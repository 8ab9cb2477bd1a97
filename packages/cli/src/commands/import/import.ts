import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag } from "../../command/shared-flags.ts";

export const importCommand: CommandDeclaration = {
  name: "import",
  summary: "Convert Camel XML routes, Kamelets, Node-RED flows or n8n workflows to a flow, and report what could not be converted.",
  details:
    "Camel XML and Kamelets convert almost one to one. Node-RED and n8n nodes convert if there is an equivalent step; code in function nodes does not. Parts that cannot be converted are listed in the report; a Node-RED or n8n node that cannot be converted becomes a log step in the flow. " +
    "The result is validated as for a deployment.",
  arguments: [{ name: "file", doc: "The XML, YAML or JSON file.", required: true, completes: "files" }],
  flags: [
    { name: "from", values: ["auto", "camel-xml", "kamelet", "node-red", "n8n"], default: "auto", doc: "Format of the file." },
    { name: "output", short: "o", value: "file", doc: "Output file (default: standard output)." },
    { ...jsonFlag, doc: "Print the flow and the report as JSON." },
  ],
  examples: [{ doc: "Convert Camel XML to YAML", command: "sluice import legacy/routes.xml --output legacy.yaml" }],
  exits: { 0: "everything was converted", 1: "a part could not be converted; see the report", 2: "the file cannot be read or its format is unknown" },
  load: () => import("./run-import.ts"),
};
