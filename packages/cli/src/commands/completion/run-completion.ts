import { completionScript, type Shell } from "../../command/completion-script.ts";
import type { Call } from "../../command/declaration.ts";
import { commands } from "../index.ts";

export async function run({ arguments: positionals, terminal }: Call): Promise<number> {
  terminal.write(await completionScript(positionals["shell"] as Shell, commands));
  return 0;
}
