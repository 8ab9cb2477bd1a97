// The runtime's interface to its host: prepare is pure and reports every error; only deploy has effects.
import type { Diagnostic, FlowDocument, Tree, TriggerKind, WebhookOperation } from "@sluice/model";
import type { FlowInput } from "../compile/flow-input.ts";
import type { FlowPlacement, Placement, RouteStep } from "../compile/placement.ts";
import type { RouteCall } from "../compile/route-calls.ts";
import type { RunEvents } from "../compile/run-events.ts";
import type { Tap } from "../compile/tap.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { RouteInput, SourceEvent } from "../spi/connector.ts";
import type { KameletFile } from "../spi/host.ts";
import type { Awaitable } from "../spi/processor.ts";
import type { UnloadedPart } from "../spi/declaration.ts";

export interface Runtime {
  /** Reads, checks and compiles a flow; starts and changes nothing. */
  prepare(input: FlowInput): Prepared;
  /** Like `prepare`, but first loads the declarations that the flow needs. */
  prepareLoaded(input: FlowInput): Promise<Prepared>;
  /**
   * Deploys a prepared flow, replacing the one with the same id without dropping a message. Resolves after the swap; the old version drains
   * afterwards. Rejects with a DeployError when it conflicts with another flow, or a source or sink does not start: the old version then
   * stays in service. A start failure that `supervision` covers (by default one marked `retryable`) does not reject: the route is Failed and
   * retried until it succeeds.
   */
  deploy(deployment: Deployment, supervision?: Supervision): Promise<DeployReport>;
  /** Removes a flow: stops accepting messages, then drains. Undefined when no such flow is deployed. */
  undeploy(flowId: string): Promise<DrainReport | undefined>;
  /** The deployed flows by id. */
  readonly deployments: ReadonlyMap<string, Deployment>;
  /** Every deployed route, by route id. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Attaches a tap to the steps and sends of the routes that it covers; the returned function detaches it. */
  tap(tap: Tap): () => void;
  /** The input of the route that consumes from this endpoint (`direct:orders`, `seda:x`), for tests and invoke. */
  routeInputOf(uri: string): RouteInput | undefined;
  /** True for an endpoint whose messages do not leave the runtime. */
  isLocalEndpoint(uri: string): boolean;
  /** Messages queued in memory between routes, by queue name. */
  backlog(): readonly { readonly name: string; readonly depth: number }[];
  /** Stops all routes in reverse start order, queue consumers last, and drains. */
  stop(): Promise<DrainReport>;
}

export interface Prepared {
  /** Undefined when any diagnostic is an error. */
  readonly deployment: Deployment | undefined;
  /** The parsed text; undefined when it could not be parsed. */
  readonly tree: Tree | undefined;
  readonly flow: FlowDocument;
  /** Number of routes in the document that are skipped because their precondition is false. */
  readonly skippedRoutes: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Values of endpoint options and Kamelet parameters that are declared secret: must not be shown or logged. */
  readonly secrets: ReadonlySet<string>;
  /** Parts that must be loaded before the flow can be compiled; `prepareLoaded` loads them. */
  readonly unloaded: ReadonlySet<UnloadedPart>;
  /** The calls of routes whose addresses are written in the flow; the called routes may be in other flows. */
  readonly calls: readonly RouteCall[];
  /** The addresses that the flow's routes and polling steps consume. */
  readonly consumed: ReadonlySet<string>;
  /** What its routes claim for themselves, such as `POST /orders`, with the id of the route. */
  readonly claims: ReadonlyMap<string, string>;
  /** Route ids and claims, such as `POST /orders`, that another flow already holds. */
  readonly conflicts: readonly Conflict[];
}

export interface Conflict {
  readonly kind: "route-id" | "claim";
  /** The route id or the claim. */
  readonly name: string;
  /** The route of the new version that cannot start. */
  readonly rejectedRouteId: string;
  /** The route that has the id or the claim. */
  readonly routeId: string;
  readonly flowId: string;
}

export function conflictMessage({ kind, name, routeId, flowId }: Conflict): string {
  return kind === "route-id" ? `route id '${name}' is already used by flow '${flowId}'` : `${name} is already served by route '${routeId}' of flow '${flowId}'`;
}

export interface Deployment {
  readonly id: string;
  readonly hash: string;
  readonly flow: FlowDocument;
  readonly routes: readonly Route[];
  /**
   * The parameter `sluice.placement`. In a cluster, `auto` places each source separately, `one` runs the whole flow on one node, and `all` runs
   * every source on every node.
   */
  readonly placement: FlowPlacement;
  /** The ids of the connections that its endpoints and beans use. */
  readonly connections: ReadonlySet<string>;
  /** The Kamelets that it was compiled with, by name; those that they use are included. */
  readonly kamelets: ReadonlyMap<string, KameletFile>;
}

/** Which start failures are retried instead of rejecting: those of systems that are down, or all. */
export type Supervision = "retryable" | "always";

export interface DeployReport {
  /** Resolves when the replaced version has drained. */
  readonly drained: Promise<DrainReport>;
  /** Deployed routes that cannot reach their system yet. */
  readonly disconnected: readonly { readonly routeId: string; readonly problem: string }[];
}

export type RouteStatus = "Starting" | "Started" | "Suspended" | "Stopping" | "Stopped" | "Failed";

/** The status of a route that accepts no messages because an operator stopped it. */
export type InactiveStatus = Extract<RouteStatus, "Suspended" | "Stopped">;

export interface Route {
  readonly identity: RouteIdentity;
  readonly status: RouteStatus;
  /** The trigger's endpoint in short form, secrets masked. */
  readonly from: string;
  /** The kind of trigger, as declared by the connector. */
  readonly trigger: TriggerKind | undefined;
  /** The requests it handles, if it is called over HTTP. */
  readonly operations: readonly WebhookOperation[];
  /** When it was last started, milliseconds since the epoch; 0 when never. */
  readonly startedAt: number;
  readonly stats: RouteStats;
  /** Every step of the route, nested ones too, in document order. */
  readonly steps: readonly RouteStep[];
  readonly placement: Placement;
  /** Why the route is Failed. */
  readonly problem: string | undefined;
  /** Delivers without the trigger, for invoke with a routeId and for replays. */
  readonly routeInput: RouteInput;
  /** Like `routeInput`, but starts at this step; undefined for unknown and nested steps. */
  enterAt(stepId: string): RouteInput | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  suspend(): Promise<void>;
  resume(): Promise<void>;
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
  /** False when exchanges had to be cancelled at the deadline, or a source did not stop in time. */
  readonly drained: boolean;
  /** The cancelled exchanges and the step each was at; `runId` is empty for a source that did not stop in time. */
  readonly abandoned: readonly { readonly routeId: string; readonly stepId: string | undefined; readonly runId: string }[];
}

/** Decides which routes accept messages on this node, when several nodes run the same flows. */
export interface RouteGate {
  /** False while another node runs the trigger of this route: the route is then Suspended here. */
  isHeld(route: Route): boolean;
  /** See `SourceInput.claimTick`. */
  claimTick(route: RouteIdentity, tick: string | undefined, isPermanent: boolean): Awaitable<boolean>;
}

/** Listener for runs and routes. Called on the hot path: must be fast and must not throw. */
export interface RunListener extends RunEvents {
  /** A route changed its status. */
  routeChanged(route: Route): void;
  /** The source of a route received or settled a message. */
  sourceEvent?(route: Route, event: SourceEvent): void;
}

/** The flow conflicts with another one, or a source or sink did not start; the previous version is still in service. */
export class DeployError extends Error {
  readonly routeId: string;
  /** Resolves when the runs started by the rejected version have ended. */
  readonly ended: Promise<void>;

  constructor(routeId: string, reason: string, { ended }: { readonly ended: Promise<void> } = { ended: Promise.resolve() }) {
    super(`route '${routeId}' failed to start: ${reason}`);
    this.name = "DeployError";
    this.routeId = routeId;
    this.ended = ended;
  }
}
