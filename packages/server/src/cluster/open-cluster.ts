// Opens the store that SERVICE_CLUSTER names. Each adapter is loaded only when its kind of store is used.
import type { Cluster, Log } from "@sluice/engine";
import type { ClusterTarget } from "./cluster-target.ts";

export interface StoreOptions {
  readonly node: string;
  readonly boot: string;
  readonly log: Log;
  /** Replicas of each stream; only for NATS. */
  readonly replicas: number;
  /** Number of versions stored per configuration record. */
  readonly versions: number;
  /** A queued message is delivered again when its node has not renewed the lease for this long. */
  readonly leaseMs: number;
  /** Limit of the messages in all queues. */
  readonly queueBytes: number;
  /** Limit of the messages of dead letters; only for NATS. */
  readonly deadLetterBytes: number;
}

export async function openCluster(target: ClusterTarget, options: StoreOptions): Promise<Cluster> {
  if (target.store === "nats") return (await import("./nats/nats-cluster.ts")).openNatsCluster(target, options);
  return (await import("./postgres/postgres-cluster.ts")).openPostgresCluster(target, options);
}
