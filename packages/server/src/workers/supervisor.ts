// The process that starts the workers of a service, hands their messages on, and puts another in the place of one that ends. It
// runs no flow and answers no request, so that nothing a flow does can take the service down.
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { LogLevel } from "@sluice/engine";
import type { Configuration } from "../config.ts";
import type { GivenFlows } from "../flows/given-flows.ts";
import { droppedRecords } from "../log/process-log.ts";
import { createRuntimeLog, type RuntimeLog } from "../log/runtime-log.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import type { Announcement } from "../main.ts";
import { createMergedOutput } from "./merged-output.ts";
import { Crew, type WorkerCommand } from "./crew.ts";

export interface RunningWorkers {
  readonly baseUrl: string;
  readonly log: RuntimeLog;
  /** Drains and ends; false when something had to be abandoned. */
  stop(): Promise<{ readonly drained: boolean }>;
}

const socketName = "lead.sock";
/** The system takes no longer path for a socket. */
const longestSocketPath = 100;

/** Starts a service of several workers and resolves when all of them serve. `command` is what a worker is started with. */
export async function startWorkers(given: Configuration, output: number, flows: GivenFlows | undefined, command: WorkerCommand): Promise<RunningWorkers> {
  // A free port is chosen once: workers that take the place of others must find it again.
  const port = given.settings.port === 0 ? await freePort(given.settings.host) : given.settings.port;
  const configuration: Configuration = { ...given, settings: { ...given.settings, port } };
  const { settings } = configuration;
  const merged = createMergedOutput(output, droppedRecords);
  const log = createRuntimeLog({
    level: settings.logLevel.toUpperCase() as LogLevel,
    writer: merged,
    secrets: createSecretValues(),
    now: () => Date.now(),
  });
  const dataDir = resolve(settings.dataDir);
  const socketPath = await placeForSocket(dataDir);
  const crew = new Crew({ configuration, given: flows, command, socketPath, log, output: merged });
  const cleaned = (): Promise<void> => rm(dirname(socketPath), { recursive: true, force: true });
  let announcement: Announcement;
  try {
    announcement = await crew.start();
    await removeLeftovers(dataDir, dirname(socketPath)).catch(() => undefined);
  } catch (error) {
    merged.open();
    await crew.abandon();
    merged.close();
    await cleaned();
    throw error;
  }
  merged.open(JSON.stringify({ ...announcement, pid: process.pid, workers: settings.workers }));
  let stopping: Promise<{ readonly drained: boolean }> | undefined;
  return {
    baseUrl: announcement.baseUrl,
    log,
    stop: () =>
      (stopping ??= crew.stop().finally(async () => {
        merged.close();
        await cleaned();
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

const folder = ".workers-";

/** A directory nobody else may enter: in the data directory, unless its path is too long for a socket. */
async function placeForSocket(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o750 });
  const isShort = join(dataDir, `${folder}123456`, socketName).length <= longestSocketPath;
  return join(await mkdtemp(isShort ? join(dataDir, folder) : join(tmpdir(), "sluice-")), socketName);
}

/** What services that were killed left behind. Called when the data directory is ours. */
async function removeLeftovers(dataDir: string, own: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(folder) && join(dataDir, name) !== own) await rm(join(dataDir, name), { recursive: true, force: true });
}
