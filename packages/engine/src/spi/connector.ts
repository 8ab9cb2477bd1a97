import type { TriggerKind, WebhookOperation } from "@sluice/model";
import type { Exchange, Pattern } from "../exchange/exchange.ts";
import type { Message } from "../exchange/message.ts";
import type { RouteIdentity, SessionTag, TraceContext, Trigger } from "../exchange/run.ts";
import type { Connection, ConnectionRequest } from "./connection.ts";
import type { Awaitable, Expression, Processor } from "./processor.ts";

/** Where the URI of an endpoint comes from. */
export interface EndpointOrigin {
  /** True when scheme and address are literal in the flow; false when either may have come from a message, as with `toD`. */
  readonly trusted: boolean;
  /** True when the whole URI, options included, is literal in the flow. A connector that evaluates text of the URI must reject other endpoints. */
  readonly authored: boolean;
  /** True when the scheme is literal in the flow, although the rest may have come from a message. */
  readonly literalScheme?: boolean;
}

/** An endpoint with its URI parsed and its options bound by the connector's declaration. */
export interface Endpoint<V = any> extends EndpointOrigin {
  readonly scheme: string;
  /** Short resolved form `scheme:path?options`, secrets masked: safe to show. */
  readonly uri: string;
  /** The path part as written, resolved. */
  readonly path: string;
  readonly options: V;
  /** For lenient connectors and those with prefixes: options the declaration does not define, in order. */
  readonly extra: Readonly<Record<string, string>>;
}

/** One runtime's instance of a connector. Building a source or sink must not start anything. */
export interface Connector<V = any> {
  source?(endpoint: Endpoint<V>, scope: EndpointScope): Source;
  sink?(endpoint: Endpoint<V>, scope: EndpointScope): Sink;
  /** For pollEnrich and poll: receives one message. */
  poller?(endpoint: Endpoint<V>, scope: EndpointScope): Poller;
  /** Number of messages queued in the process, by queue name; for metrics. */
  backlog?(): readonly { readonly name: string; readonly depth: number }[];
}

/** The parts of a flow that an endpoint may use. For building only; sources and sinks are for run time. */
export interface EndpointScope {
  readonly route: RouteIdentity;
  /** The bean that `#bean:name`, `#class:FQN` or a plain name refers to; throws a CompileError when there is none of that kind. */
  bean(reference: string, kind: string): unknown;
  /** A connection by name, by the values in the endpoint, or the only one of its kind. Released when the endpoint stops. */
  connection<C>(request: ConnectionRequest): Connection<C>;
  /** Compiles an expression in an option, in the default language. Rejects one that may have come from a message. */
  expression(text: string): Expression;
  /** Builds the source of another endpoint that is written in the flow, for a connector that wraps it. Throws the errors of that endpoint. */
  source(uri: string, parameters: Readonly<Record<string, string>>): DelegateSource;
}

/** The source of another endpoint. */
export interface DelegateSource {
  readonly source: Source;
  /** Short resolved form, secrets masked. */
  readonly uri: string;
  readonly trigger: TriggerKind | undefined;
}

/** State shared by the connectors of one runtime. */
export interface SharedState {
  /** The object of this name, created on first use. */
  of<T>(name: string, create: () => T): T;
}

export interface Source {
  /** Names that only one route may own at a time, e.g. `direct:orders` or `POST /orders`; checked before anything starts. */
  readonly claims: readonly string[];
  /** For sources that are called over HTTP: the requests they handle. */
  readonly operations?: readonly WebhookOperation[];
  /** True when the old and the new version must never run at the same time (timers, polls): on replacement, the old one stops first. */
  readonly exclusive: boolean;
  /** True when several workers of a service may each run this source at the same time. */
  readonly everyWorker?: boolean;
  /** True when its messages are in the durable store: in a cluster, where the nodes share it, every node may run this source. */
  readonly isStored?: boolean;
  /** For `master:`: in a cluster, all sources with the same name run on one node only. */
  readonly master?: { readonly name: string; readonly delegate: Omit<DelegateSource, "source"> };
  /** True for sources that deliver messages from other routes (queues): they stop last on shutdown. */
  readonly deferred?: boolean;
  /**
   * Starts accepting messages. A source whose system is down starts anyway, reports it with `routeInput.lost` and keeps trying. A source that cannot do so
   * rejects with a FlowError marked `retryable` and is started again later. Any other failure rejects the deployment.
   */
  start(routeInput: SourceInput): Awaitable;
  /** Called instead of `start` for a route that stays stopped: reserves its addresses, so that callers see a stopped route, not a missing one. */
  reserve?(): void;
  /** Stops accepting messages; resolves when messages already accepted have been delivered. May be started again. */
  stop(): Awaitable;
  /** `stop` timed out: delivers nothing more and drops the rest; returns the number of dropped messages. */
  abandon?(): number;
}

export interface Sink {
  readonly send: Processor;
  /** Called before the first message: with the route or, for an endpoint resolved at run time, on first use. May be called again after `stop`. */
  start?(): Awaitable;
  /** Called when the sink has no message in flight: the route stops, or an endpoint resolved at run time is evicted. */
  stop?(): Awaitable;
  /** True while stopping it would lose messages, such as those of an in-memory queue: it is then not stopped, however long it is idle. */
  isBusy?(): boolean;
}

/** Receives one message; a negative `timeoutMs` waits indefinitely, 0 does not wait. */
export type Receiver = (timeoutMs: number, exchange: Exchange) => Awaitable<Message | undefined>;

export interface Poller {
  readonly receive: Receiver;
  /** `start` and `stop` are called as for a sink that is resolved at run time. */
  start?(): Awaitable;
  stop?(): Awaitable;
}

/** Data that a source may add to a message. */
export interface Delivery {
  readonly pattern?: Pattern;
  readonly trigger?: Trigger;
  readonly properties?: ReadonlyMap<string, unknown>;
  readonly variables?: ReadonlyMap<string, unknown>;
  readonly session?: SessionTag;
  /** Set by the caller, or `chainId` of the run that passes the message on. */
  readonly correlationId?: string | undefined;
  readonly trace?: TraceContext;
  /** Called with the new exchange before its first step runs, so that a source gets the run's id early. */
  readonly started?: (exchange: Exchange) => void;
  /** Called when an asynchronous route has completed successfully: prepares the expensive parts of the reply before `ended` is called. */
  readonly completing?: (exchange: Exchange) => Awaitable;
  /** Called when its route has completed, before the end of the run is reported, so that the reply belongs to the run. Must not throw. */
  readonly ended?: (exchange: Exchange) => void;
}

/** The entry point of a started route. */
export interface RouteInput {
  readonly route: RouteIdentity;
  /**
   * Runs a new exchange. Never throws or rejects. Returns when the run and its completion callbacks have finished; `settlementOf(exchange)` then
   * determines whether to acknowledge the message.
   */
  deliver(message: Message, delivery?: Delivery): Awaitable<Exchange>;
  /** Runs an exchange that is already in flight in another route, as `direct:` does. Throws the failure of the route. */
  enter(exchange: Exchange, trigger: Trigger): Awaitable;
  /** Counts a message of the system that the source receives from, for metrics. */
  count?(event: SourceEvent): void;
}

/** A message was received, or settled in one of three ways. */
export type SourceEvent = "received" | "done" | "redelivered" | "dead-lettered";

/** The entry point of the route that a source belongs to. */
export interface SourceInput extends RouteInput {
  /**
   * Reports that the source lost its system and keeps trying; undefined reports recovery. May be called during `start`: the route is then
   * Failed, with this reason, as soon as it has started.
   */
  lost(problem: string | undefined): void;
  /**
   * For schedules, when several nodes run the same flow: true when this node may fire this tick. `tick` identifies it, with the same text on
   * every node; without it, only the right to run the schedule is checked. A permanent claim never expires. Undefined in a single runtime.
   */
  readonly claimTick?: ((tick: string | undefined, isPermanent?: boolean) => Awaitable<boolean>) | undefined;
}
