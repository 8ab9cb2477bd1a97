import type { CommandDeclaration } from "../../command/declaration.ts";
import { schemaKinds } from "./schema-kinds.ts";

export const schema: CommandDeclaration = {
  name: "schema",
  summary: "Print the JSON Schema of a kind of document, for editors that complete and check YAML and JSON.",
  details:
    "The schema of flows contains the steps, languages, formats and connectors of this version, with their options; that of connections contains the connection types. To use a schema, make this the first line of a YAML file: # yaml-language-server: $schema=flow.schema.json",
  arguments: [
    {
      name: "kind",
      doc: `Kind of document (default flow): ${Object.entries(schemaKinds)
        .map(([name, text]) => `\`${name}\` for ${text}`)
        .join(", ")}.`,
      values: Object.keys(schemaKinds),
    },
  ],
  flags: [{ name: "output", short: "o", value: "file", doc: "Output file (default: standard output)." }],
  examples: [
    { doc: "Write the schema of flows next to the flows", command: "sluice schema --output flow.schema.json" },
    { doc: "Write the schema of test files", command: "sluice schema test --output test.schema.json" },
  ],
  exits: { 0: "printed or written", 2: "unknown kind, or the file cannot be written" },
  load: () => import("./run-schema.ts"),
};
