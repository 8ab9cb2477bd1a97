// What a runtime offers to its host: prepare is pure and reports everything; deploy is the only way to effects.
import type { Diagnostic, FlowDocument, StepNode } from "@sluice/model";
import type { Exchange } from "../exchange/exchange.ts";
import type { Run, RouteIdentity } from "../exchange/run.ts";
import type { FlowError } from "../errors/flow-error.ts";
import type { Inlet } from "../spi/connector.ts";
import type { Processor } from "../spi/processor.ts";

export interface Runtime {
  /** Reads, checks and compiles a flow; starts nothing and changes nothing. */
  prepare(input: FlowInput): Prepared;
  /**
   * Puts a prepared flow into service, replacing the one of the same id without dropping a message.
   * Resolves after the swap; the old version drains behind it (`drained` tells when).
   * Rejects with a DeployError when a source or sink does not start: the old version is then still in service.
   */
  deploy(deployment: Deployment): Promise<{ readonly drained: Promise<DrainReport> }>;
  /** Stops intake, drains and removes; undefined when no such flow is deployed. */
  undeploy(flowId: string): Promise<DrainReport | undefined>;
  /** The deployed flows by id. */
  readonly deployments: ReadonlyMap<string, Deployment>;
  /** Every route in service, by route id. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Wraps steps and sends of the routes it covers from now on; the returned function takes it out again. */
  tap(tap: Tap): () => void;
  /** The inlet of the route that consumes from this endpoint (`direct:orders`, `seda:x`), for tests and invoke. */
  inletOf(uri: string): Inlet | undefined;
  /** Stops every route in reverse start order and drains; nothing is taken in meanwhile. */
  stop(): Promise<DrainReport>;
}

export interface FlowInput {
  readonly id: string;
  /** Lower-case hex SHA-256 of the text. */
  readonly hash: string;
  readonly source: string;
  /** The value of a `{{name}}`: params first, then what the host adds. */
  property(name: string): string | undefined;
}

export interface Prepared {
  /** Undefined when any diagnostic is an error. */
  readonly deployment: Deployment | undefined;
  readonly flow: FlowDocument;
  /** How many routes the document defines whose precondition is false; the flow's routes are the others. */
  readonly leftOut: number;
  readonly diagnostics: readonly Diagnostic[];
  /** What another flow already holds: route ids and claims such as `POST /orders`. */
  readonly conflicts: readonly Conflict[];
}

export interface Conflict {
  readonly kind: "route-id" | "claim";
  /** The route id or the claim. */
  readonly name: string;
  readonly routeId: string;
  readonly flowId: string;
}

export interface Deployment {
  readonly id: string;
  readonly hash: string;
  readonly flow: FlowDocument;
  readonly routes: readonly Route[];
}

export type RouteStatus = "Starting" | "Started" | "Suspended" | "Stopping" | "Stopped" | "Failed";

export interface Route {
  readonly identity: RouteIdentity;
  readonly status: RouteStatus;
  /** The trigger's endpoint in short form, secrets masked. */
  readonly from: string;
  /** When it was last started, milliseconds since the epoch; 0 when never. */
  readonly startedAt: number;
  readonly stats: RouteStats;
  /** Every step of the route, nested ones too, in document order. */
  readonly steps: readonly StepPlace[];
  readonly placement: Placement;
  /** Why it is Failed. */
  readonly problem: string | undefined;
  /** Delivers past the trigger: what invoke with a routeId and replays use. */
  readonly inlet: Inlet;
  /** As `inlet`, but past every step before this one; undefined unless it is one of the route's own steps, not a nested one. */
  enterAt(stepId: string): Inlet | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  suspend(): Promise<void>;
  resume(): Promise<void>;
}

/** Where a route may run when a service has several workers. */
export interface Placement {
  /** What ties the route to one worker, a short text each; empty when every worker may run it. */
  readonly tiedBy: readonly string[];
  /** The endpoints of other routes it runs in place: it is tied where they are. */
  readonly calls: readonly string[];
}

/** A step as tools see it: where it stands and, for a step that sends to a fixed endpoint, where to. */
export interface StepPlace {
  readonly node: StepNode;
  readonly depth: number;
  readonly uri: string | undefined;
}

export interface RouteStats {
  inflight: number;
  total: number;
  failed: number;
  /** Milliseconds since the epoch; 0 when it never ran. */
  lastRunAt: number;
  lastError: string | undefined;
}

export interface DrainReport {
  readonly routeIds: readonly string[];
  /** False when exchanges had to be cancelled at the limit. */
  readonly drained: boolean;
  /** What was cancelled: where each abandoned exchange stood. */
  readonly abandoned: readonly { readonly routeId: string; readonly stepId: string | undefined; readonly runId: string }[];
}

/**
 * Something wrapped around steps and sends while it is tapped in: mocks, tracing, history. Nothing is paid when nothing is
 * tapped in. Lower layers are nearer to the step: mocks 10, tracing 20, history 30.
 */
export interface Tap {
  readonly layer: number;
  covers(route: RouteIdentity): boolean;
  /** Returns `next` itself when this step is of no interest. */
  step?(next: Processor, node: StepNode, route: RouteIdentity): Processor;
  /** As `step`, for a send to an endpoint, whichever step makes it; `exchange.at` names the step. */
  send?(next: Processor, uri: string, route: RouteIdentity): Processor;
}

/** Told about runs; must be quick and must not throw. */
export interface RunListener {
  started(run: Run, exchange: Exchange): void;
  ended(run: Run, exchange: Exchange): void;
  retrying(run: Run, exchange: Exchange, error: FlowError, delayMs: number): void;
  /** A route changed its status. */
  routeChanged(route: Route): void;
}

/** A source or sink that did not start; the previous version is still in service. */
export class DeployError extends Error {
  readonly routeId: string;

  constructor(routeId: string, reason: string) {
    super(`route '${routeId}' failed to start: ${reason}`);
    this.name = "DeployError";
    this.routeId = routeId;
  }
}

export interface RuntimeLimits {
  /** `direct:` calls within one run. */
  readonly callDepth: number;
  /** Runs of one route at the same time; more are refused. */
  readonly inflightPerRoute: number;
  /** How long a run may take, milliseconds. */
  readonly runMs: number;
  /** How long an old version or a stop may take to drain, milliseconds. */
  readonly drainMs: number;
  /** Copies of copies one run may make, as nested multicasts and splits do. */
  readonly exchanges: number;
  /** The longest text an expression may make a message of, in characters. */
  readonly messageSize: number;
}
