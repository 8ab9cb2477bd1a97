// What the lead knows of the other workers, as the management API asks for it. A runtime that works alone has none.
import type { EventHub } from "../streams/event-hub.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";
import type { RunFilter } from "../runs/run-history.ts";
import type { Death, FoundRuns, RouteFigures, WorkerFigures } from "./messages.ts";

/** What is known of the other workers. */
export interface OtherWorkers {
  readonly present: readonly WorkerFigures[];
  /** What those that ended had counted. */
  readonly departed: readonly RouteFigures[];
  /** How many are to serve and do not. */
  readonly missing: number;
  /** The last one that ended by itself. */
  readonly lastDeath: Death | undefined;
}

export interface ServiceView {
  /** Resolves when every worker serves what this one serves now. */
  settled(): Promise<void>;
  /** The same, later and without waiting: something changed by itself. */
  changed(): void;
  /** Runs the other workers know, as the API shows them. */
  runs(filter: RunFilter): Promise<readonly FoundRuns[]>;
  run(id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Fetches a run from the worker it was in, so that it can be replayed here. */
  fetchRun(id: string): Promise<void>;
  /** What the other workers have counted. */
  figures(): Promise<OtherWorkers>;
  /** Resolves when the other workers hand on the events that this filter wants. */
  watch(hub: EventHub, query: FilterQuery): Promise<void>;
  /** False when a flow that was removed had to leave something undone in another worker. */
  drained(flowId: string): Promise<boolean>;
}

/** The seat of the lead in a service of several workers, as the composition root sees it. */
export interface LeadSeat<Parts, Listener> {
  readonly socketPath: string;
  /** Notes the runs that are under way. */
  listen(listener: Listener): Listener;
  attach(parts: Parts): ServiceView;
  /** Tells the others of a source that guessed too often. */
  outguessed(source: string): void;
  /** True while other workers still hand requests to this one. */
  isNeeded(): boolean;
}
