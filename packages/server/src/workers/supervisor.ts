// The process that starts the workers of a service, routes their messages and replaces workers that exit. It runs no flow and serves
// no request, so that no flow can take the service down.
import { mkdtemp, readdir, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isatty } from "node:tty";
import { createFolder } from "@sluice/connectors/create-folder";
import type { LogLevel } from "@sluice/engine";
import { misnamedVariables, type Configuration } from "../config.ts";
import type { ExternalFlows } from "../flows/external-flows.ts";
import { droppedRecords } from "../log/process-log.ts";
import { lineFormat } from "../log/output-format.ts";
import { createRuntimeLog, type RuntimeLog } from "../log/runtime-log.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import type { Announcement } from "../running-server.ts";
import { usablePort } from "../start/usable-port.ts";
import { createMergedOutput } from "./merged-output.ts";
import { WorkerPool, type WorkerCommand, type WorkerPoolParts } from "./worker-pool.ts";

export interface RunningWorkers {
  readonly baseUrl: string;
  readonly log: RuntimeLog;
  /** Drains and stops; `drained` is false when something was abandoned. */
  stop(): Promise<{ readonly drained: boolean }>;
}

const socketName = "leader.sock";
/** Maximum length of a Unix socket path that all platforms accept. */
const maxSocketPathLength = 100;

/** Starts a service of several workers; resolves when all of them accept requests. `command` starts a worker. */
export async function startWorkers(
  requested: Configuration,
  output: number,
  flows: ExternalFlows | undefined,
  command: WorkerCommand,
): Promise<RunningWorkers> {
  const { settings } = requested;
  const port = await usablePort(settings);
  const merged = createMergedOutput(output, droppedRecords, lineFormat(settings, requested.environment, isatty(output)));
  const log = createRuntimeLog({
    level: settings.logLevel.toUpperCase() as LogLevel,
    writer: merged,
    secrets: createSecretValues(),
    now: () => Date.now(),
  });
  const dataDir = resolve(settings.dataDir);
  const { socketPath, created } = await createSocketPath(dataDir);
  const removeSocket = (): Promise<void> => rm(dirname(socketPath), { recursive: true, force: true });
  let service: StartedPool;
  try {
    service = await startPool({ configuration: requested, externalFlows: flows, command, socketPath, log, output: merged }, port);
    await removeLeftovers(dataDir, dirname(socketPath)).catch(() => undefined);
  } catch (error) {
    merged.open();
    merged.close();
    await removeSocket();
    await removeEmpty(dataDir, created);
    throw error;
  }
  const { pool, announcement } = service;
  merged.open(JSON.stringify({ ...announcement, pid: process.pid, workers: settings.workers }));
  for (const warning of misnamedVariables(requested.environment)) log.write("WARN", "sluice", warning);
  let stopping: Promise<{ readonly drained: boolean }> | undefined;
  return {
    baseUrl: announcement.baseUrl,
    log,
    stop: () =>
      (stopping ??= pool.stop().finally(async () => {
        merged.close();
        await removeSocket();
      })),
  };
}

interface StartedPool {
  readonly pool: WorkerPool;
  readonly announcement: Announcement;
}

/** How many ports are tried if other processes take the chosen ones. */
const maxPortChoices = 10;

/**
 * Starts the workers on a port that was free a moment ago: one port, because replacement workers must listen on it too. If another process has taken it
 * in the meantime, another one is chosen, unless the operator did.
 */
async function startPool(parts: WorkerPoolParts, firstPort: number): Promise<StartedPool> {
  const { configuration } = parts;
  const { settings } = configuration;
  for (let port = firstPort, choices = 1; ; port = await usablePort(settings), choices++) {
    // Workers write JSON to a pipe; this process formats the merged lines.
    const pool = new WorkerPool({ ...parts, configuration: { ...configuration, settings: { ...settings, port, logFormat: "json" } } });
    try {
      return { pool, announcement: await pool.start() };
    } catch (error) {
      await pool.abandon();
      const { code, port: busyPort } = error as { readonly code?: unknown; readonly port?: unknown };
      if (settings.port !== 0 || code !== "EADDRINUSE" || busyPort !== port || choices === maxPortChoices) throw error;
    }
  }
}

const folderPrefix = ".workers-";

/** Creates a directory for this user only: in the data directory, or in the temporary directory if the path is too long for a socket. */
async function createSocketPath(dataDir: string): Promise<{ readonly socketPath: string; readonly created: string | undefined }> {
  const created = await createFolder(dataDir, 0o750);
  const isShort = join(dataDir, `${folderPrefix}123456`, socketName).length <= maxSocketPathLength;
  return { socketPath: join(await mkdtemp(isShort ? join(dataDir, folderPrefix) : join(tmpdir(), "sluice-")), socketName), created };
}

/** Removes the folders that a refused start has created, from the data directory up to the first one, as far as they are empty. */
async function removeEmpty(dataDir: string, created: string | undefined): Promise<void> {
  if (created === undefined) return;
  try {
    for (let folder = dataDir; folder.startsWith(created); folder = dirname(folder)) await rmdir(folder);
  } catch {
    // Not empty.
  }
}

/** Removes socket directories of services that were killed. Call it only after the workers have locked their data directories. */
async function removeLeftovers(dataDir: string, currentFolder: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(folderPrefix) && join(dataDir, name) !== currentFolder) await rm(join(dataDir, name), { recursive: true, force: true });
}
