// `sluice designer`: the designer alone, for a runtime that runs elsewhere.
import { startDesigner } from "@sluice/designer/server";
import { readConfiguration, SettingsError } from "@sluice/server/config";
import { CommandError, UsageError, type Call } from "../../command/declaration.ts";
import { busyPortText, commandWith, nextFreePort } from "../../runtime/busy-port.ts";
import { localUrl } from "../../runtime/local-url.ts";
import { waitForAbort } from "../run/wait-for-abort.ts";
import { readDesignerSettings } from "./designer-settings.ts";

export async function run({ terminal, signal }: Call): Promise<number> {
  const designer = await start();
  terminal.note(`Designer   ${designer.url}\nWorkspace  ${designer.workspace}`);
  await waitForAbort(signal);
  await designer.close();
  return 0;
}

async function start(): ReturnType<typeof startDesigner> {
  try {
    const { settings, environment } = readConfiguration();
    return await startDesigner({ ...readDesignerSettings(environment, localUrl(settings)), environment, onError: reportInternalError });
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.messages.join("\n"));
    throw new CommandError((await designerPortErrorText(error, "sluice designer")) ?? (error as Error).message);
  }
}

/** The message for a port that is in use, with the command for another port. */
export async function designerPortErrorText(error: unknown, command: string): Promise<string | undefined> {
  const { code, port, address = "127.0.0.1" } = error as NodeJS.ErrnoException & { readonly port?: number; readonly address?: string };
  if (code !== "EADDRINUSE" || port === undefined) return undefined;
  return `${busyPortText(port)}: stop that process, or use another port: ${commandWith({ DESIGNER_PORT: await nextFreePort(port, address) }, command)}`;
}

/** Details of internal errors go to standard error only; the browser gets a generic message. */
export function reportInternalError(error: unknown): void {
  process.stderr.write(`designer: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
