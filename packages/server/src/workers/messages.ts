// Messages between the processes of a service.
import type { KameletFile } from "@sluice/engine";
import type { WorkerMetrics } from "../other-workers/worker-metrics.ts";
import type { RunIdentity } from "../other-workers/run-identity.ts";
import type { BrokenPolicy, StoredPolicy } from "../access/policy-store.ts";
import type { Configuration } from "../config.ts";
import type { Definition } from "../connections/named-connections.ts";
import type { StoredParams } from "../flows/flow-store.ts";
import type { ReplayData } from "../replay/replay-store.ts";
import type { RunMetadata } from "../runs/run-metadata.ts";
import type { StoredRun } from "../run-store/stored-run.ts";
import type { RunFilter } from "../runs/run-history.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";

/** In a cluster, every worker is a node; otherwise one is the leader of the others. */
export type WorkerRole = "leader" | "follower" | "node";

/** Starts a worker; the reply is its `Announcement`, or undefined for a follower. */
export interface StartRequest {
  readonly role: WorkerRole;
  /** From 1; a replacement has the position of the worker it replaces. */
  readonly position: number;
  readonly configuration: Configuration;
  /** The Unix socket at which the leader accepts forwarded requests. */
  readonly socketPath: string;
  /** Folders with external flows; undefined when there are none. */
  readonly externalFolders: readonly string[] | undefined;
  /** True if the service was up before this process. */
  readonly isReplacement: boolean;
}

/** A flow as sent to followers: its source, and the routes they run. */
export interface PlacedFlow {
  readonly id: string;
  readonly source: string;
  readonly hash: string;
  readonly params: StoredParams;
  readonly routeIds: readonly string[];
  /** The Kamelets that the leader compiled it with. */
  readonly kamelets: ReadonlyMap<string, KameletFile>;
}

/** A change for followers to apply; an undefined value removes the item. */
export type Change =
  | { readonly kind: "paused"; readonly paused: boolean }
  | { readonly kind: "table" | "mapping"; readonly id: string; readonly json: string | undefined }
  | { readonly kind: "policy"; readonly id: string; readonly stored: StoredPolicy | BrokenPolicy | undefined }
  | { readonly kind: "connection"; readonly id: string; readonly definition: Definition | undefined }
  | { readonly kind: "flow"; readonly id: string; readonly flow: PlacedFlow | undefined };

export interface ChangeRequest {
  /** If true, items that are not among the changes are removed. */
  readonly isSnapshot: boolean;
  readonly changes: readonly Change[];
}

/** A worker's changed metrics since its last report; kept in case it exits. */
export type ChangedMetrics = Pick<WorkerMetrics, "counts" | "routes">;

/** `without` lists runs that the caller already has. */
export interface RunsQuery extends RunFilter {
  readonly without: readonly string[];
}

/** A run and the data needed to replay it. */
export interface RemoteRun {
  readonly record: RunMetadata;
  readonly replayData: ReplayData | undefined;
}

/** Ended runs to store, and the number of runs omitted because there were too many. */
export interface SentRuns {
  readonly runs: readonly StoredRun[];
  readonly omitted: number;
}

/** The events that followers forward; an empty list stops forwarding. */
export interface WatchRequest {
  readonly stream: "trace" | "log";
  readonly queries: readonly FilterQuery[];
}

/** Runs that started or ended. The supervisor needs them to account for runs lost with their worker. */
export interface InFlightChanges {
  readonly started: readonly RunIdentity[];
  readonly ended: readonly string[];
}
