import { join, resolve } from "node:path";
import type { Clock, Ids, LogLevel } from "@sluice/engine";
import type { Phase } from "../api/health.ts";
import { SettingsError, type Configuration, type Settings } from "../config.ts";
import type { DirectoryLock } from "../data-lock/directory-lock.ts";
import { lockDirectory, noLock } from "../data-lock/lock-directory.ts";
import { restartFailed } from "../flows/load-flows.ts";
import { systemClock } from "../host/clock.ts";
import { createEnvironment, type Environment } from "../host/environment.ts";
import { createIds } from "../host/ulid.ts";
import { createProcessLog, type ProcessLog } from "../log/process-log.ts";
import type { ClusterNode } from "../other-nodes/cluster-view.ts";
import { nodeName } from "../other-nodes/node-name.ts";
import { openRunStore } from "../run-store/open-run-store.ts";
import type { RunStore } from "../run-store/run-store.ts";
import { createDurableStore, storeUnusable, type DurableStore } from "../store/durable-store.ts";
import type { LateParts } from "./late-parts.ts";
import type { StartVariant } from "./start-variant.ts";

/** Shared parts of a server. */
export interface ServerProcess extends ProcessLog {
  readonly configuration: Configuration;
  readonly settings: Settings;
  readonly variant: StartVariant;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly level: LogLevel;
  readonly environment: Environment;
  /** The data directory of the settings, which contains the files of the operator; for a worker of a cluster, its own folder in it. */
  readonly dataDir: string;
  readonly lock: DirectoryLock;
  /** Undefined without SERVICE_CLUSTER. */
  cluster: ClusterNode | undefined;
  phase: Phase;
}

/** Creates the log and the clock, and locks the data directory. */
export function openProcess(configuration: Configuration, output: number, variant: StartVariant, startedAt: number): ServerProcess {
  const { settings, environment } = configuration;
  const processLog = createProcessLog(configuration, output);
  const dataDir = resolve(settings.dataDir, variant.worker === undefined ? "" : `worker-${variant.worker}`);
  // Lock first: opening the stores removes temporary files, which may belong to a running process.
  const lock = variant.isTrial === true ? noLock : lockDirectory(dataDir);
  if (lock.warning !== undefined) processLog.log.write("WARN", "sluice", lock.warning);
  return {
    ...processLog,
    configuration,
    settings,
    variant,
    startedAt,
    clock: systemClock,
    ids: createIds(() => Date.now()),
    level: settings.logLevel.toUpperCase() as LogLevel,
    environment: createEnvironment(environment),
    dataDir,
    lock,
    cluster: undefined,
    phase: "STARTING",
  };
}

/** Throws if a runtime that is started in this way cannot be a node of a cluster. */
export function assertClusterVariant({ cluster }: Settings, { isTrial, externalFlows, embedding }: StartVariant): void {
  if (cluster === undefined || isTrial === true) return;
  if (externalFlows !== undefined) throw new SettingsError(["SERVICE_CLUSTER: flows cannot be passed as files in a cluster: use 'sluice deploy'"]);
  if (embedding !== undefined) throw new SettingsError(["cluster: not supported inside a host application yet"]);
}

/** Joins the cluster in the settings; undefined without one. The code for clusters is loaded only if it is needed. */
export async function openClusterNode({ settings, variant, dataDir, log, ids }: ServerProcess): Promise<ClusterNode | undefined> {
  const { cluster } = settings;
  if (cluster === undefined || variant.isTrial === true) return undefined;
  const { joinCluster } = await import("../cluster/join-cluster.ts");
  return joinCluster({ settings, cluster, node: nodeName(settings, variant.worker), dataDir, log, ids, boot: ids.next() });
}

/** Opens the stored runs if SERVICE_RUN_STORE requires it; trials store nothing. */
export function openStoredRuns({ settings, variant, dataDir, clock, log, lock }: ServerProcess): RunStore | undefined {
  if (settings.runStore === "memory" || variant.isTrial === true) return undefined;
  return openRunStore({ settings, directory: storeIn(dataDir), clock, log, readOnlyReason: readOnlyReason(lock) });
}

const storeIn = (dataDir: string): string => join(dataDir, "store");

const readOnlyReason = ({ isHeld }: DirectoryLock): string | undefined => (isHeld ? undefined : "the data directory is not locked");

/** Creates the store without touching a file until it is used. */
export function openDurableStore({ settings, dataDir, clock, ids, log, lock }: ServerProcess, lateParts: LateParts): DurableStore {
  return createDurableStore({
    directory: storeIn(dataDir),
    clock,
    ids,
    log,
    limits: {
      queueBytes: settings.queueBytes,
      maxMessageBytes: settings.queueMessageBytes,
      deadLetters: settings.deadLetters,
      deadLetterBytes: settings.deadLetterBytes,
    },
    readOnlyReason: readOnlyReason(lock),
    opened: () => void restartFailed(lateParts.flows.current, storeUnusable),
  });
}
