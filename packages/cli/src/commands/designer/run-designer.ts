// `sluice designer`: the designer alone, for a runtime that runs elsewhere.
import { startDesigner } from "@sluice/designer/server";
import { readConfiguration, SettingsError } from "@sluice/server/config";
import { CommandError, UsageError, type Call, type Values } from "../../command/declaration.ts";
import { workspaceErrorText } from "../../runtime/folder-error.ts";
import { listenErrorText, runtimeAddress } from "../../runtime/listen-error.ts";
import { localUrl } from "../../runtime/local-url.ts";
import { waitForAbort } from "../run/wait-for-abort.ts";
import { inDesignerFlags, withDesignerFlags } from "./designer-flags.ts";
import { readDesignerSettings } from "./designer-settings.ts";

export async function run({ flags, terminal, signal }: Call): Promise<number> {
  const designer = await start(flags);
  terminal.note(`Designer   ${designer.url}\nWorkspace  ${designer.workspace}`);
  await waitForAbort(signal);
  await designer.close();
  return 0;
}

async function start(flags: Values): ReturnType<typeof startDesigner> {
  try {
    const { settings, environment: variables } = readConfiguration();
    const environment = withDesignerFlags(variables, flags, "port");
    return await startDesigner({ ...readDesignerSettings(environment, localUrl(settings)), environment, onError: reportInternalError });
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.messages.map((message) => inDesignerFlags(message, flags)).join("\n"));
    throw new CommandError((await listenErrorText(error, runtimeAddress)) ?? workspaceErrorText(error) ?? (error as Error).message);
  }
}

/** Details of internal errors go to standard error only; the browser gets a generic message. */
export function reportInternalError(error: unknown): void {
  process.stderr.write(`designer: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
