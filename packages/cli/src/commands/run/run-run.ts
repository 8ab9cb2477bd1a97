// `sluice run`: starts the runtime and runs until it is stopped.
import type { RunningServer } from "@sluice/server";
import { CommandError, listOf, UsageError, type Call, type Values } from "../../command/declaration.ts";
import { withProjectFolders } from "../../files/project-settings.ts";
import { dataDirErrorText } from "../../runtime/folder-error.ts";
import { listenErrorText, runtimeAddress } from "../../runtime/listen-error.ts";
import { readExternalFlows } from "./external-flows.ts";
import { configurationOfFlags, inUsersWords } from "./flag-configuration.ts";
import { waitForAbort } from "./wait-for-abort.ts";
import { workerCommand } from "./worker-command.ts";

export async function run({ arguments: positionals, flags, signal }: Call): Promise<number> {
  const server = await start(flags, listOf(positionals, "paths"));
  logUncaughtErrors(server);
  await waitForAbort(signal);
  const { drained } = await server.stop();
  return drained ? 0 : 1;
}

type StartedRuntime = Pick<RunningServer, "log"> & { stop(): Promise<{ readonly drained: boolean }> };

/** A single process is the runtime itself; with several, the supervisor does not load the runtime code. */
async function start(flags: Values, paths: readonly string[]): Promise<StartedRuntime> {
  try {
    const { environment, settings } = configurationOfFlags(flags);
    const flows = await readExternalFlows(paths, { params: {}, profile: settings.profile, environment });
    const configuration = { environment, settings: { ...settings, ...withProjectFolders(settings, flows?.files ?? []) } };
    if (settings.workers > 1) return await (await import("@sluice/server/workers")).startWorkers(configuration, 1, flows, workerCommand);
    return await (await import("@sluice/server")).startServer(configuration, 1, flows);
  } catch (error) {
    throw await toStartError(error, flags);
  }
}

/** Converts a start error to a message for the user. */
export async function toStartError(error: unknown, flags: Values = {}): Promise<Error> {
  if (error instanceof UsageError || error instanceof CommandError) return error;
  const { name } = error as Error;
  // Compared by name: with several workers the error may come from another process.
  if (name === "SettingsError") return new UsageError(inUsersWords((error as Error).message, flags));
  if (name === "LockedError") return new CommandError((error as Error).message);
  return new CommandError((await listenErrorText(error, runtimeAddress)) ?? dataDirErrorText(error) ?? `cannot start: ${(error as Error).message}`);
}

/** An uncaught error in a library callback must not stop the process. */
export function logUncaughtErrors({ log }: Pick<RunningServer, "log">): void {
  process.on("uncaughtException", (error) => log.write("ERROR", "sluice", "Uncaught exception", undefined, { error }));
  process.on("unhandledRejection", (error) => log.write("ERROR", "sluice", "Unhandled promise rejection", undefined, { error }));
}
