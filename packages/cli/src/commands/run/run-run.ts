// `sluice run`: starts the runtime and stays until it is told to stop.
import type { RunningServer } from "@sluice/server";
import { readConfiguration, SettingsError } from "@sluice/server/config";
import { CommandError, listOf, UsageError, type Call, type Values } from "../../command/declaration.ts";
import { givenFlows } from "./given-flows.ts";
import { ended } from "./interrupted.ts";

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
    if (configuration.settings.workers > 1) return await (await import("@sluice/server/workers")).startWorkers(configuration, 1, flows);
    return await (await import("@sluice/server")).startServer(configuration, 1, flows);
  } catch (error) {
    throw startFault(error);
  }
}

/** Why a runtime did not start, as one says it to a user. */
export function startFault(error: unknown): Error {
  const { code, name } = error as NodeJS.ErrnoException;
  if (error instanceof SettingsError) return new UsageError(error.faults.join("\n"));
  if (name === "LockedError") return new CommandError((error as Error).message);
  if (code === "EADDRINUSE") return new CommandError("the port is in use: choose another one with --port");
  return new CommandError(`cannot start: ${(error as Error).message}`);
}

/** A fault that escaped some library's callback costs its own run, never the process. */
export function guard({ log }: Pick<RunningServer, "log">): void {
  process.on("uncaughtException", (error) => log.write("ERROR", "sluice", "a fault was caught at the last moment", undefined, { error }));
  process.on("unhandledRejection", (error) => log.write("ERROR", "sluice", "a rejected promise was caught at the last moment", undefined, { error }));
}
