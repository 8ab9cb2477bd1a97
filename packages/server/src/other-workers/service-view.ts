// The leader's view of the other workers, as used by the management API. Undefined in a single-process runtime.
import type { EventHub } from "../streams/event-hub.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";
import type { RunFilter } from "../runs/run-history.ts";
import type { WorkerExit, FoundRuns, RouteMetrics, WorkerMetrics } from "./worker-metrics.ts";

/** Metrics and state of the other workers. */
export interface OtherWorkers {
  readonly present: readonly WorkerMetrics[];
  /** Counts of workers that have exited. */
  readonly exitedCounts: readonly RouteMetrics[];
  /** Configured workers that are not ready. */
  readonly missing: number;
  /** The most recent unexpected exit. */
  readonly lastExit: WorkerExit | undefined;
}

export interface ServiceView {
  /** Resolves when every worker has this worker's current state. */
  replicated(): Promise<void>;
  /** Schedules `replicated` for a change that was not made by an API call. */
  changed(): void;
  /**
   * The id of the oldest run per route that is within the history limit. The limit applies to all workers together, but each of them
   * keeps that many runs.
   */
  oldestRuns(filter: RunFilter): Promise<ReadonlyMap<string, string>>;
  /** Runs of the other workers, as the API shows them. */
  runs(filter: RunFilter): Promise<readonly FoundRuns[]>;
  run(id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Copies a run from its worker so that it can be replayed here. */
  fetchRun(id: string): Promise<void>;
  /** Metrics of the other workers. */
  metrics(): Promise<OtherWorkers>;
  /** Resolves when the other workers forward the events that match this filter. */
  watch(hub: EventHub, query: FilterQuery): Promise<void>;
  /** False when another worker had to abandon runs of a removed flow. */
  drained(flowId: string): Promise<boolean>;
}

/** The leader's connection to the other workers, as used by the composition root. */
export interface LeaderPort<Parts, Listener> {
  readonly socketPath: string;
  /** Wraps a listener to track in-flight runs. */
  listen(listener: Listener): Listener;
  attach(parts: Parts): ServiceView;
  /** Informs the other workers about a source with too many wrong credentials. */
  sourceBlocked(source: string): void;
  /** Fetches a key set and caches it for the other workers. */
  fetchText(uri: string): Promise<string>;
  /** True while other workers may forward requests to this one. */
  isNeeded(): boolean;
}
