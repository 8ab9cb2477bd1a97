// One pass of an exchange through a route, from its trigger to its end; this is what the run history records.
import type { FlowError } from "../errors/flow-error.ts";
import type { StepTrail } from "./step-trail.ts";

/** Identifies a route in runs, traces and errors. */
export interface RouteIdentity {
  readonly id: string;
  readonly flowId: string;
  /** SHA-256 of the flow's text; identifies the version that ran. */
  readonly flowHash: string;
  readonly group?: string;
  readonly description?: string;
}

/** The test session of a message; all runs that the message causes belong to it too. */
export interface SessionTag {
  readonly id: string;
  /** Delays, redelivery delays and throttles return immediately. */
  readonly skipTime: boolean;
  /** Set when the session ends: its mocks are gone, so its remaining messages must not be sent. */
  isOver?: boolean;
}

/** The event that started the run, as reported by the source. */
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
  /** Number of runs before this one in a chain of HTTP calls; absent when there are none. */
  readonly httpHops?: number | undefined;
}

/** The part of a reply that the run records. */
export interface RunReply {
  readonly status: number;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

export type RunStatus = "running" | "completed" | "failed" | "retrying" | "discarded" | "cancelled";

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
  /** Failed, but an error handler or doCatch handled it. */
  handled = false;
  redeliveries = 0;
  /** The step that discarded the message: a filter or a duplicate check. */
  discardedBy: object | undefined = undefined;
  /** The steps it executed; undefined when they are not recorded. */
  trail: StepTrail | undefined = undefined;
  /** Set by the caller; runs without one are found by `chainId`. */
  correlationId: string | undefined = undefined;
  trace: TraceContext | undefined = undefined;
  /** The reply to the caller, for sources that send one. */
  reply: RunReply | undefined = undefined;
  /** Depth of `direct:` calls; limited so that a route calling itself ends. */
  readonly depth: number;
  /** The run that the trigger created; the root of all `direct:` calls and copies. */
  readonly root: Run;
  /** Copies made by this run and all its children; counted at the root. */
  spawned = 0;
  /** The copies of copies among them; counted at the root and limited so that nested multicasts end. */
  nested = 0;
  /** Maximum number of copies of copies; read from the root. */
  nestedLimit = 200_000;
  /** Private to the run history. */
  record: unknown = undefined;
  /** Private to the replay store. */
  replay: unknown = undefined;
  /** The run whose cancellation cancels this one too: the root, or a detached copy. */
  readonly #cancelRoot: Run;
  #abort: AbortController | undefined = undefined;

  constructor(id: string, route: RouteIdentity, startedAt: number, trigger: Trigger, parent?: Run, session?: SessionTag, isDetached = false) {
    this.id = id;
    this.route = route;
    this.startedAt = startedAt;
    this.trigger = trigger;
    this.parent = parent;
    this.session = session ?? parent?.session;
    this.depth = parent === undefined ? 0 : isDetached ? parent.depth : parent.depth + 1;
    this.root = parent === undefined ? this : parent.root;
    this.#cancelRoot = parent === undefined || isDetached ? this : parent.#cancelRoot;
  }

  /** The run of a detached copy, such as a wire tap: same id, cancelled independently. */
  detached(startedAt: number): Run {
    const run = new Run(this.id, this.route, startedAt, this.trigger, this, this.session, true);
    run.correlationId = this.correlationId;
    run.trace = this.trace;
    run.trail = this.trail;
    return run;
  }

  /** An id that all runs caused by one request share: the caller's correlation id, or the id of the first run. */
  get chainId(): string {
    return this.correlationId ?? this.root.id;
  }

  /** Aborted when the run is cancelled or its deadline passes; created on first use. */
  get signal(): AbortSignal {
    return (this.#cancelRoot.#abort ??= new AbortController()).signal;
  }

  /** True once the run was cancelled: no further step may start. */
  get isCancelled(): boolean {
    return this.#cancelRoot.status === "cancelled";
  }

  /** Cancels the run: waiting steps are aborted and no further step starts. */
  cancel(reason: FlowError): void {
    const cancelRoot = this.#cancelRoot;
    if (cancelRoot.status !== "running" && cancelRoot.status !== "retrying") return;
    cancelRoot.status = "cancelled";
    cancelRoot.failure ??= reason;
    (cancelRoot.#abort ??= new AbortController()).abort(reason);
  }
}
