// What the processes of a service tell each other.
import type { RunIdentity } from "./under-way.ts";
import type { BrokenPolicy, StoredPolicy } from "../access/policy-store.ts";
import type { Configuration } from "../config.ts";
import type { StoredParams } from "../flows/flow-store.ts";
import type { KeptRun } from "../replay/kept-runs.ts";
import type { RunFacts } from "../runs/run-facts.ts";
import type { RunFilter } from "../runs/run-history.ts";
import type { BodyDetail, EventFacts, FilterQuery } from "../streams/stream-filter.ts";

/** How a worker is started; the answer is its `Announcement`. */
export interface StartOrder {
  readonly role: "lead" | "follower";
  readonly configuration: Configuration;
  /** Where the lead takes what the others hand on. */
  readonly socketPath: string;
  /** Folders of flows served from files of their own, undefined when there are none. */
  readonly givenFolders: readonly string[] | undefined;
}

/** A flow as followers get it: its text, and which of its routes they run. */
export interface SpreadFlow {
  readonly id: string;
  readonly source: string;
  readonly hash: string;
  readonly params: StoredParams;
  readonly routeIds: readonly string[];
}

/** Something followers take over; undefined values are removed. */
export type Change =
  | { readonly kind: "paused"; readonly paused: boolean }
  | { readonly kind: "table" | "mapping"; readonly id: string; readonly document: unknown }
  | { readonly kind: "policy"; readonly id: string; readonly stored: StoredPolicy | BrokenPolicy | undefined }
  | { readonly kind: "flow"; readonly id: string; readonly flow: SpreadFlow | undefined };

export interface ChangeOrder {
  /** True when this is everything there is: what is not in it goes. */
  readonly whole: boolean;
  readonly changes: readonly Change[];
}

/** What a follower has counted, for those who ask about the whole service. */
export interface WorkerFigures {
  readonly pid: number;
  readonly startedAt: number;
  readonly connections: number;
  readonly webhookCalls: number;
  readonly counts: readonly RouteFigures[];
  readonly routes: readonly RouteStatsFigures[];
}

export interface RouteFigures {
  readonly routeId: string;
  readonly flowId: string;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly discarded: number;
  readonly redeliveries: number;
  readonly durationMs: number;
  readonly buckets: readonly number[];
}

export interface RouteStatsFigures {
  readonly id: string;
  /** Of the version it counted. */
  readonly flowHash: string;
  readonly inflight: number;
  readonly total: number;
  readonly failed: number;
  readonly lastRunAt: number;
  readonly lastError: string | undefined;
}

/** What changed in a worker's figures since it last told them; kept for the case that it ends. */
export type CountedNews = Pick<WorkerFigures, "counts" | "routes">;

export interface FoundRuns {
  readonly runs: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
}

/** `without` are runs that whoever asks has already. */
export interface RunsQuery extends RunFilter {
  readonly without: readonly string[];
}

/** A run with what is needed to run it again. */
export interface RemoteRun {
  readonly record: RunFacts;
  readonly kept: KeptRun | undefined;
}

/** Which events followers hand on; an empty list stops it. */
export interface WatchOrder {
  readonly stream: "trace" | "log";
  readonly queries: readonly FilterQuery[];
}

export interface HandedEvents {
  readonly stream: "trace" | "log";
  readonly events: readonly {
    readonly facts: EventFacts;
    readonly bytes: number;
    /** The event's texts, each beginning with its id at the sender. */
    readonly texts: Readonly<Partial<Record<BodyDetail, string>>>;
  }[];
  /** Events after these that found no room. */
  readonly lost: number;
}

/** A worker ended without being told to. */
export interface Death {
  readonly worker: number;
  readonly pid: number;
  /** The signal or the exit code. */
  readonly how: string;
  readonly at: number;
  /** What it had under way when it was last heard of. */
  readonly runs: readonly RunIdentity[];
}

/** Runs that began or ended, told to the supervisor so that they are known when the worker dies. */
export interface UnderWayNews {
  readonly began: readonly RunIdentity[];
  readonly ended: readonly string[];
}
