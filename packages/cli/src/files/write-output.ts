import { writeFile } from "node:fs/promises";
import { UsageError } from "../command/declaration.ts";

/** Writes the file that the user named with --output. */
export async function writeOutput(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    const fix = error.code === "ENOENT" ? "create its folder first" : "choose another file";
    throw new UsageError(`'${path}' cannot be written (${error.code}): ${fix}`);
  });
}
