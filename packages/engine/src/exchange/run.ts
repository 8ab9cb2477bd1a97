// One passage of one exchange through one route, from its trigger to its end: what the run history keeps.
import type { FlowError } from "../errors/flow-error.ts";
import type { StepTrail } from "./step-trail.ts";

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
  /** Set when the session ends: nothing is mocked any more, so what is left of its messages is sent nowhere. */
  isOver?: boolean;
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

/** An answer as far as it says something about the run. */
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
  /** Failed, but an error handler or doCatch dealt with it. */
  handled = false;
  redeliveries = 0;
  /** The step that let the message go no further, a filter or a check for duplicates. */
  passedOver: object | undefined = undefined;
  /** Where its steps are noted, as long as its record is its own; whoever reads them asks for `trail`. */
  steps: StepTrail | undefined = undefined;
  /** Which of the runs that trail serves one after another this is. */
  turn = 0;
  correlationId: string | undefined = undefined;
  trace: TraceContext | undefined = undefined;
  /** What the caller was told, by sources that answer. */
  reply: RunReply | undefined = undefined;
  /** How many `direct:` calls deep this run is; bounded so that a route calling itself ends. */
  readonly depth: number;
  /** The run the trigger made, above all `direct:` calls and copies. */
  readonly root: Run;
  /** Copies made by this run and all its children; counted at the root. */
  spawned = 0;
  /** Those of them that are copies of copies; counted at the root and bounded so that nested multicasts end. */
  nested = 0;
  /** How many copies of copies the run may make; asked at the root. */
  nestedLimit = 200_000;
  /** Whatever the history keeps with the run while it goes on; nobody else looks at it. */
  record: unknown = undefined;
  /** Whatever replays keep with the run while it goes on; nobody else looks at it. */
  kept: unknown = undefined;
  /** The run whose end from outside is the end of this one too: the root, or the copy that went its own way. */
  readonly #leader: Run;
  #abort: AbortController | undefined = undefined;

  constructor(id: string, route: RouteIdentity, startedAt: number, trigger: Trigger, parent?: Run, session?: SessionTag, apart = false) {
    this.id = id;
    this.route = route;
    this.startedAt = startedAt;
    this.trigger = trigger;
    this.parent = parent;
    this.session = session ?? parent?.session;
    this.depth = parent === undefined ? 0 : apart ? parent.depth : parent.depth + 1;
    this.root = parent === undefined ? this : parent.root;
    this.#leader = parent === undefined || apart ? this : parent.#leader;
  }

  /** The run of a copy that goes its own way, such as a tap: told as this one, but neither cancels the other. */
  apart(startedAt: number): Run {
    const run = new Run(this.id, this.route, startedAt, this.trigger, this, this.session, true);
    run.correlationId = this.correlationId;
    run.trace = this.trace;
    run.steps = this.steps;
    run.turn = this.turn;
    return run;
  }

  /** The steps it went through; undefined where nobody notes them, and for what goes on when the history has forgotten the run. */
  get trail(): StepTrail | undefined {
    return this.steps?.turn === this.turn ? this.steps : undefined;
  }

  /** Aborted when the run is cancelled or its deadline passes; made only for steps that ask. */
  get signal(): AbortSignal {
    return (this.#leader.#abort ??= new AbortController()).signal;
  }

  /** True once the run was ended from outside: no further step may start. */
  get isCancelled(): boolean {
    return this.#leader.status === "cancelled";
  }

  /** Ends the run from outside: waiting steps are aborted and no further step starts. */
  cancel(reason: FlowError): void {
    const leader = this.#leader;
    if (leader.status !== "running" && leader.status !== "retrying") return;
    leader.status = "cancelled";
    leader.failure ??= reason;
    (leader.#abort ??= new AbortController()).abort(reason);
  }
}
