// `sluice run`: starts the runtime and stays until it is told to stop.
import { Command, Option } from "commander";
import { LockedError, readConfiguration, settingDescriptions, SettingsError, startServer, type RunningServer } from "@sluice/server";

export function runCommand(): Command {
  const command = new Command("run").description("Start the runtime.");
  for (const { name, flag, variable, doc, kind, values, default: standard } of settingDescriptions) {
    if (flag === undefined) continue;
    const placeholder = kind === "boolean" ? "[true|false]" : `<${values?.join("|") ?? kind}>`;
    const option = new Option(`${flag} ${placeholder}`, `${doc} (${variable}${standard === "" ? "" : `, default ${standard}`})`).preset("true");
    option.attributeName = () => name;
    command.addOption(option);
  }
  command.addHelpText("after", `\nThe token of the management API is read from SERVICE_DEPLOY_TOKEN only.`);
  command.action((flags: Record<string, string>) => run(flags));
  return command;
}

async function run(flags: Record<string, string>): Promise<void> {
  let server: RunningServer;
  try {
    server = await startServer(readConfiguration(flags));
  } catch (error) {
    fail(error);
    return;
  }
  guard(server);
  let signals = 0;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // A second signal means now.
      if (++signals > 1) process.exit(1);
      void server.stop().then(
        ({ drained }) => process.exit(drained ? 0 : 1),
        () => process.exit(1),
      );
    });
  }
}

/** A fault that escaped some library's callback costs its own run, never the process. */
function guard({ log }: RunningServer): void {
  process.on("uncaughtException", (error) => log.write("ERROR", "sluice", "a fault was caught at the last moment", undefined, { error }));
  process.on("unhandledRejection", (error) => log.write("ERROR", "sluice", "a rejected promise was caught at the last moment", undefined, { error }));
}

function fail(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof SettingsError) process.stderr.write(`${error.faults.join("\n")}\n`);
  else if (error instanceof LockedError) process.stderr.write(`${error.message}\n`);
  else if (code === "EADDRINUSE") process.stderr.write("the port is in use: choose another one with --port\n");
  else process.stderr.write(`cannot start: ${(error as Error).message}\n`);
  process.exit(error instanceof SettingsError ? 2 : 1);
}
