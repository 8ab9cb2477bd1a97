import type { Exchange, Pattern } from "../exchange/exchange.ts";
import type { Message } from "../exchange/message.ts";
import type { RouteIdentity, SessionTag, TraceContext, Trigger } from "../exchange/run.ts";
import type { Awaitable, Processor } from "./processor.ts";

/** An endpoint whose URI was parsed and whose options were bound by the connector's declaration. */
export interface Endpoint<V = any> {
  readonly scheme: string;
  /** Short resolved form `scheme:path?options`, secrets masked: safe to show. */
  readonly uri: string;
  /** The path part as written, resolved. */
  readonly path: string;
  readonly options: V;
  /** True when scheme and address stood literally in the flow; false when any of it came from a message, as with `toD`. */
  readonly trusted: boolean;
  /** For lenient connectors: the options the declaration does not know, in order. */
  readonly extra: Readonly<Record<string, string>>;
}

/** One runtime's instance of a connector. Building a source or sink must start nothing. */
export interface Connector<V = any> {
  source?(endpoint: Endpoint<V>, route: RouteIdentity): Source;
  sink?(endpoint: Endpoint<V>): Sink;
  /** For pollEnrich and poll: asks for one message. */
  poller?(endpoint: Endpoint<V>): Poller;
}

export interface Source {
  /** What only one route may hold at a time, e.g. `direct:orders` or `POST /orders`; checked before anything starts. */
  readonly claims: readonly string[];
  /** True when old and new must never run together (timers, polls): on replace the old one stops first. */
  readonly exclusive: boolean;
  /** True when several workers of a service may take in messages with it at the same time, each its own. */
  readonly everyWorker?: boolean;
  /** True for sources that only hand on what other routes put in (queues): on shutdown they go last, when those are done. */
  readonly deferred?: boolean;
  start(inlet: Inlet): Awaitable;
  /** Takes in no more; resolves when what was already taken is handed over. May be started again. */
  stop(): Awaitable;
  /** `stop` took too long: hands over nothing more and gives up what is left; returns how many messages that were. */
  abandon?(): number;
}

export interface Sink {
  readonly send: Processor;
  start?(): Awaitable;
  stop?(): Awaitable;
}

export interface Poller {
  /** timeoutMs: negative waits as long as it takes, 0 does not wait. */
  receive(timeoutMs: number, exchange: Exchange): Awaitable<Message | undefined>;
  start?(): Awaitable;
  stop?(): Awaitable;
}

/** What a source may say about a message beside the message itself. */
export interface Delivery {
  readonly pattern?: Pattern;
  readonly trigger?: Trigger;
  readonly properties?: ReadonlyMap<string, unknown>;
  readonly variables?: ReadonlyMap<string, unknown>;
  readonly session?: SessionTag;
  readonly correlationId?: string;
  readonly trace?: TraceContext;
  /** Called with the new exchange before its first step runs: how a source learns the run's id without waiting for the end. */
  readonly started?: (exchange: Exchange) => void;
  /** Called when its route is over, before anybody is told of the end: what a source answers belongs to the run. Must not throw. */
  readonly settled?: (exchange: Exchange) => void;
}

/** The way into a started route. */
export interface Inlet {
  readonly route: RouteIdentity;
  /** Runs a new exchange. Never throws: the outcome is `exchange.failure`. */
  deliver(message: Message, delivery?: Delivery): Awaitable<Exchange>;
  /** Runs an exchange that is already under way in another route, as `direct:` does. Throws what the route fails with. */
  enter(exchange: Exchange, trigger: Trigger): Awaitable;
  /** Tells that the source cannot reach what it takes from, though it goes on trying, and with undefined that it can again. */
  lost?(problem: string | undefined): void;
}
