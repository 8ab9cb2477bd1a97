// One passage of one exchange through one route, from its trigger to its end: what the run history keeps.
import type { FlowError } from "../errors/flow-error.ts";

/** Who a route is, for ids in runs, traces and errors. */
export interface RouteIdentity {
  readonly id: string;
  readonly flowId: string;
  /** SHA-256 of the flow's text; tells which version ran. */
  readonly flowHash: string;
  readonly group?: string;
  readonly description?: string;
}

/** A test session a message belongs to; everything the message spawns belongs to it too. */
export interface SessionTag {
  readonly id: string;
  /** Delays, redelivery waits and throttles return at once. */
  readonly skipTime: boolean;
}

/** What set the run off, as the source tells it. */
export interface Trigger {
  readonly uri: string;
  readonly method?: string;
  readonly path?: string;
}

/** W3C trace context. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly sampled: boolean;
}

export type RunStatus = "running" | "completed" | "failed" | "retrying" | "discarded" | "cancelled";

/** One step of a run as the history keeps it; times in milliseconds since the epoch, fractions kept. */
export interface StepRecord {
  readonly stepId: string;
  readonly kind: string;
  readonly startedAt: number;
  durationMs: number;
  status: "running" | "completed" | "failed";
  attempts: number;
}

export class Run {
  readonly id: string;
  readonly route: RouteIdentity;
  readonly parent: Run | undefined;
  readonly session: SessionTag | undefined;
  readonly startedAt: number;
  readonly trigger: Trigger;
  endedAt = 0;
  status: RunStatus = "running";
  failure: FlowError | undefined = undefined;
  /** Failed, but an error handler or doCatch dealt with it. */
  handled = false;
  redeliveries = 0;
  steps: StepRecord[] | undefined = undefined;
  correlationId: string | undefined = undefined;
  trace: TraceContext | undefined = undefined;
  /** How many `direct:` calls deep this run is; bounded so that a route calling itself ends. */
  readonly depth: number;
  /** Exchanges made by this run and all its children; bounded so that nested multicasts end. */
  spawned = 0;
  /** When the run must be over, milliseconds of the monotonic clock; Infinity when nothing bounds it. */
  deadline = Infinity;
  /** Whatever the history keeps with the run while it goes on; nobody else looks at it. */
  record: unknown = undefined;
  #abort: AbortController | undefined = undefined;

  constructor(id: string, route: RouteIdentity, startedAt: number, trigger: Trigger, parent?: Run, session?: SessionTag) {
    this.id = id;
    this.route = route;
    this.startedAt = startedAt;
    this.trigger = trigger;
    this.parent = parent;
    this.session = session ?? parent?.session;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
  }

  /** Aborted when the run is cancelled or its deadline passes; made only for steps that ask. */
  get signal(): AbortSignal {
    if (this.parent !== undefined) return this.parent.signal;
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  /** Ends the run from outside: waiting steps are aborted and no further step starts. */
  cancel(reason: FlowError): void {
    if (this.status !== "running" && this.status !== "retrying") return;
    this.status = "cancelled";
    this.failure ??= reason;
    (this.#abort ??= new AbortController()).abort(reason);
  }

  /** The run the trigger made, above all `direct:` calls. */
  get root(): Run {
    return this.parent === undefined ? this : this.parent.root;
  }
}
