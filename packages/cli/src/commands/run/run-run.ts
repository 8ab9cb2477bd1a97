// `sluice run`: starts the runtime and stays until it is told to stop.
import type { RunningServer } from "@sluice/server";
import { readConfiguration } from "@sluice/server/config";
import { CommandError, listOf, UsageError, type Call, type Values } from "../../command/declaration.ts";
import { givenFlows } from "./given-flows.ts";
import { ended } from "./interrupted.ts";
import { workerCommand } from "./worker-command.ts";

export async function run({ arguments: given, flags, signal }: Call): Promise<number> {
  const flows = await givenFlows(listOf(given, "paths"));
  const server = await start(flags, flows);
  guard(server);
  await ended(signal);
  const { drained } = await server.stop();
  return drained ? 0 : 1;
}

type Started = Pick<RunningServer, "log"> & { stop(): Promise<{ readonly drained: boolean }> };

/** One process is the runtime itself; several have a supervisor, which has no use for what a runtime is made of. */
async function start(flags: Values, flows: Awaited<ReturnType<typeof givenFlows>>): Promise<Started> {
  try {
    const configuration = readConfiguration(flags as Readonly<Record<string, string>>);
    if (configuration.settings.workers > 1) return await (await import("@sluice/server/workers")).startWorkers(configuration, 1, flows, workerCommand);
    return await (await import("@sluice/server")).startServer(configuration, 1, flows);
  } catch (error) {
    throw startFault(error);
  }
}

/** Why a runtime did not start, as one says it to a user. */
export function startFault(error: unknown): Error {
  const { name } = error as Error;
  // By its name: with several workers it may come from another process.
  if (name === "SettingsError") return new UsageError((error as Error).message);
  if (name === "LockedError") return new CommandError((error as Error).message);
  return new CommandError(addressFault(error) ?? dataFault(error) ?? `cannot start: ${(error as Error).message}`);
}

/** Why it cannot listen, when that is the reason. */
function addressFault(error: unknown): string | undefined {
  const { code, port, address, hostname } = error as NodeJS.ErrnoException & { readonly port?: number; readonly address?: string; readonly hostname?: string };
  if (code === "EADDRINUSE") return `${port === undefined ? "the port" : `port ${port}`} is in use: choose another one with --port`;
  if (code === "EACCES" && port !== undefined) return `this user may not listen on port ${port}: choose one above 1023 with --port`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `cannot listen on '${hostname ?? address}', which is no address of this machine: choose another one with --host`;
  return undefined;
}

const unusable: Readonly<Partial<Record<string, string>>> = {
  EACCES: "this user may not write there",
  EPERM: "writing there is not permitted",
  EROFS: "that disk is read-only",
  ENOSPC: "that disk is full",
  ENOTDIR: "a file stands in the way",
  EEXIST: "a file stands in the way",
};

/** Why the data directory cannot be used, when that is the reason. */
function dataFault(error: unknown): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const why = code === undefined || path === undefined ? undefined : unusable[code];
  return why === undefined ? undefined : `cannot keep data at '${path}', ${why}: mend that, or choose another directory with --data-dir`;
}

/** A fault that escaped some library's callback costs its own run, never the process. */
export function guard({ log }: Pick<RunningServer, "log">): void {
  process.on("uncaughtException", (error) => log.write("ERROR", "sluice", "a fault was caught at the last moment", undefined, { error }));
  process.on("unhandledRejection", (error) => log.write("ERROR", "sluice", "a rejected promise was caught at the last moment", undefined, { error }));
}
