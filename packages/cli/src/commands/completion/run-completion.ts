import { completionScript, type Shell } from "../../command/completion-script.ts";
import type { Call } from "../../command/declaration.ts";
import { commands } from "../index.ts";

export async function run({ arguments: given, terminal }: Call): Promise<number> {
  terminal.write(await completionScript(given["shell"] as Shell, commands));
  return 0;
}
