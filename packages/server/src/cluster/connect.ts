// What a starting node does before it joins: connects to the store, and looks at what an earlier process left in the data directory.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isClusterError, type Cluster, type Log } from "@sluice/engine";
import { isFlowError } from "@sluice/engine/spi";
import { SettingsError } from "../config.ts";
import { systemClock } from "../host/clock.ts";
import type { ClusterTarget } from "./cluster-target.ts";
import type { JoinParts } from "./join-cluster.ts";
import { openCluster } from "./open-cluster.ts";

/** How long a starting node waits for the store. */
const connectMs = 30_000;

/** Folders of the data directory whose documents are records in a cluster. */
const unusedFolders = ["routes", "value-mappings", "message-mappings", "policies", "connections", "kamelets"];

/** A runtime that had its own documents does not use them as a node. */
export async function warnAboutFiles(dataDir: string, log: Log): Promise<void> {
  for (const folder of unusedFolders) {
    const names = await readdir(join(dataDir, folder)).catch(() => []);
    if (names.some((name) => !name.startsWith(".")))
      log.write("WARN", "sluice.cluster", `The files in '${join(dataDir, folder)}' are not used in a cluster: deploy them with 'sluice deploy'`);
  }
}

export async function connect(target: ClusterTarget, { settings, log, boot }: Pick<JoinParts, "settings" | "log" | "boot">, node: string): Promise<Cluster> {
  const until = systemClock.monotonic() + connectMs;
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
    }
    await new Promise<void>((resolve) => systemClock.after(250, resolve));
  }
}

/** True for errors that only the operator can fix: a missing client package, or a wrong setting. */
const isPermanent = (error: unknown): boolean =>
  (isClusterError(error) && error.kind === "misconfigured") || (isFlowError(error) && error.code === "client-missing");

/** The boot of the process that had this data directory before. It has ended, because this process holds the lock. */
export async function replacedBoot(dataDir: string, boot: string): Promise<string | undefined> {
  const file = join(dataDir, "cluster-boot");
  const previous = await readFile(file, "utf8").catch(() => undefined);
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, boot);
  return previous;
}
