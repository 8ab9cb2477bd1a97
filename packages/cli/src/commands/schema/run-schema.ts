import { schemaOfKind, type DocumentKindName } from "@sluice/server/check";
import { operatorPlugins } from "../../runtime/operator-plugins.ts";
import { textFlag, type Call } from "../../command/declaration.ts";
import { writeOutput } from "../../files/write-output.ts";

export async function run({ arguments: { kind = "flow" }, flags, terminal }: Call): Promise<number> {
  const file = textFlag(flags, "output");
  const text = await schemaText(kind as DocumentKindName);
  if (file === undefined) terminal.write(text);
  else await writeOutput(file, `${text}\n`);
  return 0;
}

/** The schema as one line of JSON: it is read by editors, not people. */
export async function schemaText(kind: DocumentKindName): Promise<string> {
  return JSON.stringify(await schemaOfKind(kind, await operatorPlugins()));
}
