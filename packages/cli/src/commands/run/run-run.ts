// `sluice run`: starts the runtime and runs until it is stopped.
import type { RunningServer } from "@sluice/server";
import { readConfiguration } from "@sluice/server/config";
import { CommandError, listOf, UsageError, type Call, type Values } from "../../command/declaration.ts";
import { withProjectFolders } from "../../files/project-settings.ts";
import { busyPortText, nextFreePort } from "../../runtime/busy-port.ts";
import { readExternalFlows } from "./external-flows.ts";
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
    const { environment, settings } = readConfiguration(flags as Readonly<Record<string, string>>);
    const flows = await readExternalFlows(paths, { params: {}, profile: settings.profile, environment });
    const configuration = { environment, settings: { ...settings, ...withProjectFolders(settings, flows?.files ?? []) } };
    if (settings.workers > 1) return await (await import("@sluice/server/workers")).startWorkers(configuration, 1, flows, workerCommand);
    return await (await import("@sluice/server")).startServer(configuration, 1, flows);
  } catch (error) {
    throw await toStartError(error);
  }
}

/** Converts a start error to a message for the user. */
export async function toStartError(error: unknown): Promise<Error> {
  if (error instanceof UsageError) return error;
  const { name } = error as Error;
  // Compared by name: with several workers the error may come from another process.
  if (name === "SettingsError") return new UsageError((error as Error).message);
  if (name === "LockedError") return new CommandError((error as Error).message);
  return new CommandError((await listenErrorText(error)) ?? dataDirErrorText(error) ?? `cannot start: ${(error as Error).message}`);
}

/** The message for a listen error, otherwise undefined. */
async function listenErrorText(error: unknown): Promise<string | undefined> {
  const { code, port, address, hostname } = error as NodeJS.ErrnoException & { readonly port?: number; readonly address?: string; readonly hostname?: string };
  if (code === "EADDRINUSE" && port !== undefined) {
    const free = await nextFreePort(port, address ?? "127.0.0.1");
    return `${busyPortText(port)}: stop that process, or choose another port with --port ${free}`;
  }
  if (code === "EACCES" && port !== undefined) return `no permission to listen on port ${port}: choose a port above 1023 with --port`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `cannot listen on '${hostname ?? address}', which is not an address of this machine: choose another one with --host`;
  return undefined;
}

const directoryProblems: Readonly<Partial<Record<string, string>>> = {
  EACCES: "this user has no write permission",
  EPERM: "writing is not permitted",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "the path is a file",
  EEXIST: "the path is a file",
};

/** The message for an unusable data directory, otherwise undefined. */
function dataDirErrorText(error: unknown): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const why = code === undefined || path === undefined ? undefined : directoryProblems[code];
  return why === undefined ? undefined : `cannot use the data directory '${path}' (${why}): fix it, or choose another directory with --data-dir`;
}

/** An uncaught error in a library callback must not stop the process. */
export function logUncaughtErrors({ log }: Pick<RunningServer, "log">): void {
  process.on("uncaughtException", (error) => log.write("ERROR", "sluice", "Uncaught exception", undefined, { error }));
  process.on("unhandledRejection", (error) => log.write("ERROR", "sluice", "Unhandled promise rejection", undefined, { error }));
}
