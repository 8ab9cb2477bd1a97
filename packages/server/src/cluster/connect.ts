// Prepares a node before it joins a cluster: connects to the store, and checks the files that an earlier process left in the data directory.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { isClusterError, type Cluster, type Log } from "@sluice/engine";
import { isFlowError } from "@sluice/engine/spi";
import { SettingsError } from "../config.ts";
import { systemClock } from "../host/clock.ts";
import type { ClusterTarget } from "./cluster-target.ts";
import type { JoinParts } from "./join-cluster.ts";
import { openCluster } from "./open-cluster.ts";

/** How long a starting node waits for the store. */
const connectMs = 30_000;

/** Folders of the data directory that a cluster node does not read: a cluster keeps these documents in its store. */
const unusedFolders = ["routes", "value-mappings", "message-mappings", "policies", "connections", "kamelets"];

/** Warns about documents in the data directory, which a node does not use. */
export async function warnAboutFiles(dataDir: string, log: Log): Promise<void> {
  for (const folder of unusedFolders) {
    const names = await readdir(join(dataDir, folder)).catch(() => []);
    if (names.some((name) => !name.startsWith(".")))
      log.write("WARN", "sluice.cluster", `The files in '${join(dataDir, folder)}' are not used in a cluster: deploy them with 'sluice deploy'`);
  }
}

export async function connect(target: ClusterTarget, { settings, log, node, boot }: Pick<JoinParts, "settings" | "log" | "node" | "boot">): Promise<Cluster> {
  const until = systemClock.monotonic() + connectMs;
  let reported = "";
  for (;;) {
    try {
      return await openCluster(target, {
        node,
        boot,
        log,
        replicas: settings.clusterReplicas,
        versions: settings.versions,
        leaseMs: settings.clusterTtl,
        queueBytes: settings.queueBytes,
        deadLetterBytes: settings.deadLetterBytes,
      });
    } catch (error) {
      const { message } = error as Error;
      if (isPermanent(error) || systemClock.monotonic() > until)
        throw new SettingsError([`SERVICE_CLUSTER: cannot join the cluster '${target.name}': ${message}`]);
      if (message !== reported) log.write("WARN", "sluice.cluster", `Cannot connect to the store of cluster '${target.name}': ${message}; retrying`);
      reported = message;
    }
    await new Promise<void>((resolve) => systemClock.after(250, resolve));
  }
}

/** True for errors that only the operator can fix: a missing client package, or a wrong setting. */
const isPermanent = (error: unknown): boolean =>
  (isClusterError(error) && error.kind === "misconfigured") || (isFlowError(error) && error.code === "client-missing");

/**
 * The boot ids of the processes that used this data directory before. They have ended, because this process holds the lock. There are several if
 * processes were killed before they removed the session of their predecessor.
 */
export async function previousBoots(dataDir: string, boot: string): Promise<readonly string[]> {
  const previous = (await readFile(bootFile(dataDir), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  await createFolder(dataDir);
  await writeFile(bootFile(dataDir), [...previous, boot].join("\n"));
  return previous;
}

/** Call after the sessions of the previous processes were removed. */
export const forgetPreviousBoots = (dataDir: string, boot: string): Promise<void> => writeFile(bootFile(dataDir), boot);

const bootFile = (dataDir: string): string => join(dataDir, "cluster-boot");
