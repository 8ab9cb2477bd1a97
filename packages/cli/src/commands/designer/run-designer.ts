// `sluice designer`: the designer alone, for a runtime that runs elsewhere.
import { startDesigner } from "@sluice/designer/server";
import { readConfiguration, SettingsError } from "@sluice/server/config";
import { CommandError, UsageError, type Call } from "../../command/declaration.ts";
import { ended } from "../run/interrupted.ts";
import { readDesignerSettings } from "./designer-settings.ts";

export async function run({ terminal, signal }: Call): Promise<number> {
  const designer = await start();
  terminal.note(`Designer   ${designer.url}\nWorkspace  ${designer.workspace}`);
  await ended(signal);
  await designer.close();
  return 0;
}

async function start(): ReturnType<typeof startDesigner> {
  try {
    const { settings, environment } = readConfiguration();
    return await startDesigner({ ...readDesignerSettings(environment, `http://${settings.host}:${settings.port}`), environment, onFault });
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.faults.join("\n"));
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === "EADDRINUSE" ? `port ${(error as { port?: number }).port ?? "of the designer"} is in use: choose another one with DESIGNER_PORT` : message,
    );
  }
}

/** Faults of the designer's server go to standard error; its users are told only that there was one. */
export function onFault(error: unknown): void {
  process.stderr.write(`designer: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
