import type { CommandDeclaration } from "../../command/declaration.ts";

export const schema: CommandDeclaration = {
  name: "schema",
  summary: "Print the JSON Schema of flows, for editors that complete and check YAML.",
  details:
    "The schema contains the steps, languages, formats and connectors of this version, with their options. To use it, make this the first line of a flow: # yaml-language-server: $schema=flow.schema.json",
  flags: [{ name: "output", short: "o", value: "file", doc: "Output file (default: standard output)." }],
  examples: [{ doc: "Write the schema next to the flows", command: "sluice schema --output flow.schema.json" }],
  exits: { 0: "printed or written", 2: "the file cannot be written" },
  load: () => import("./run-schema.ts"),
};
