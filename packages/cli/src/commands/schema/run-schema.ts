import { writeFile } from "node:fs/promises";
import { flowSchema } from "@sluice/server/check";
import { operatorPlugins } from "../../runtime/operator-plugins.ts";
import { textFlag, UsageError, type Call } from "../../command/declaration.ts";

export async function run({ flags, terminal }: Call): Promise<number> {
  const file = textFlag(flags, "output");
  const text = await schemaText();
  if (file === undefined) terminal.write(text);
  else
    await writeFile(file, `${text}\n`).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`'${file}' cannot be written: ${error.code}`);
    });
  return 0;
}

/** The schema as one line of JSON: it is read by editors, not people. */
export async function schemaText(): Promise<string> {
  return JSON.stringify(await flowSchema(await operatorPlugins()));
}
