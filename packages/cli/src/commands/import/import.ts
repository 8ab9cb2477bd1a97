import type { CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag } from "../../command/shared-flags.ts";

export const importCommand: CommandDeclaration = {
  name: "import",
  summary: "Turn Camel XML routes, Kamelets, Node-RED flows or n8n workflows into a flow, with a report of what did not map.",
  details:
    "Camel XML and Kamelets map almost word by word. Node-RED and n8n map as far as their nodes have a counterpart; code in function nodes never does. What did not map stands in the flow as a log step that says so, and in the report. " +
    "The flow is checked as a deploy would check it.",
  arguments: [{ name: "file", doc: "The XML, YAML or JSON file.", required: true, completes: "files" }],
  flags: [
    { name: "from", values: ["auto", "camel-xml", "kamelet", "node-red", "n8n"], default: "auto", doc: "What the file is." },
    { name: "output", short: "o", value: "file", doc: "Where to write the flow (default: standard output)." },
    { ...jsonFlag, doc: "Print flow and report as JSON." },
  ],
  examples: [{ doc: "Camel's XML to YAML", command: "sluice import legacy/routes.xml --output legacy.yaml" }],
  exits: { 0: "everything mapped", 1: "something did not map; see the report", 2: "the file cannot be read or is of no known kind" },
  load: () => import("./run-import.ts"),
};
