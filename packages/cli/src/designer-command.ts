// `sluice designer`: the designer alone, for a runtime that runs elsewhere.
import { Command } from "commander";
import { startDesigner } from "@sluice/designer/server";
import { readConfiguration, SettingsError } from "@sluice/server";
import { readDesignerSettings } from "./designer-settings.ts";

const help = `
Settings come from the environment:
  DESIGNER_PORT         the port to listen on (default 8090; 0 picks a free one)
  DESIGNER_HOST         the address to listen on (default 127.0.0.1; others need a password)
  DESIGNER_PASSWORD     the password to sign in with
  DESIGNER_WORKSPACE    the folder of flows and tests (default ./workspace)
  DESIGNER_RUNTIME_URL  the runtime to deploy to (default the one of SERVICE_HOST and SERVICE_PORT)
  DESIGNER_TARGET       what to call that runtime (default local)
  SERVICE_DEPLOY_TOKEN  its deploy token; it never reaches the browser

Example:
  SERVICE_DEPLOY_TOKEN=… DESIGNER_RUNTIME_URL=https://runtime.example.com sluice designer`;

export function designerCommand(): Command {
  return new Command("designer")
    .description("Start the designer for a runtime that is running.")
    .addHelpText("after", help)
    .action(() => run());
}

async function run(): Promise<void> {
  try {
    const { settings, environment } = readConfiguration();
    const designer = await startDesigner({ ...readDesignerSettings(environment, `http://${settings.host}:${settings.port}`), environment, onFault });
    process.stderr.write(`Designer   ${designer.url}\nWorkspace  ${designer.workspace}\n`);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void designer.close().then(() => process.exit(0)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const text =
      error instanceof SettingsError
        ? error.faults.join("\n")
        : code === "EADDRINUSE"
          ? "the port is in use: choose another one with DESIGNER_PORT"
          : (error as Error).message;
    process.stderr.write(`${text}\n`);
    process.exitCode = 1;
  }
}

/** Faults of the designer's server go to standard error; its users are told only that there was one. */
export function onFault(error: unknown): void {
  process.stderr.write(`designer: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
