// The process that starts the workers of a service, routes their messages and replaces workers that exit. It runs no flow and serves
// no request, so that no flow can take the service down.
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { LogLevel } from "@sluice/engine";
import type { Configuration } from "../config.ts";
import type { ExternalFlows } from "../flows/external-flows.ts";
import { droppedRecords } from "../log/process-log.ts";
import { createRuntimeLog, type RuntimeLog } from "../log/runtime-log.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import type { Announcement } from "../running-server.ts";
import { createMergedOutput } from "./merged-output.ts";
import { WorkerPool, type WorkerCommand } from "./worker-pool.ts";

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
  // Choose the free port once: replacement workers must listen on the same one.
  const port = requested.settings.port === 0 ? await freePort(requested.settings.host) : requested.settings.port;
  const configuration: Configuration = { ...requested, settings: { ...requested.settings, port } };
  const { settings } = configuration;
  const merged = createMergedOutput(output, droppedRecords);
  const log = createRuntimeLog({
    level: settings.logLevel.toUpperCase() as LogLevel,
    writer: merged,
    secrets: createSecretValues(),
    now: () => Date.now(),
  });
  const dataDir = resolve(settings.dataDir);
  const socketPath = await createSocketPath(dataDir);
  const pool = new WorkerPool({ configuration, externalFlows: flows, command, socketPath, log, output: merged });
  const removeSocket = (): Promise<void> => rm(dirname(socketPath), { recursive: true, force: true });
  let announcement: Announcement;
  try {
    announcement = await pool.start();
    await removeLeftovers(dataDir, dirname(socketPath)).catch(() => undefined);
  } catch (error) {
    merged.open();
    await pool.abandon();
    merged.close();
    await removeSocket();
    throw error;
  }
  merged.open(JSON.stringify({ ...announcement, pid: process.pid, workers: settings.workers }));
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

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port: 0, host }, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

const folderPrefix = ".workers-";

/** Creates a directory for this user only: in the data directory, or in the temporary directory if the path is too long for a socket. */
async function createSocketPath(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o750 });
  const isShort = join(dataDir, `${folderPrefix}123456`, socketName).length <= maxSocketPathLength;
  return join(await mkdtemp(isShort ? join(dataDir, folderPrefix) : join(tmpdir(), "sluice-")), socketName);
}

/** Removes socket directories of services that were killed. Call it only after the workers have locked their data directories. */
async function removeLeftovers(dataDir: string, currentFolder: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(folderPrefix) && join(dataDir, name) !== currentFolder) await rm(join(dataDir, name), { recursive: true, force: true });
}
