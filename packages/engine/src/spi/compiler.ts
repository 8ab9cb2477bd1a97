import type { EndpointNode, ExpressionNode, FormatNode, StepNode } from "@sluice/model";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { Poller } from "./connector.ts";
import type { Format, LanguageDeclaration } from "./declaration.ts";
import type { Host } from "./host.ts";
import type { Expression, Processor } from "./processor.ts";

/** What a step's `compile` may use. Everything here is for deploy time; what it returns is for run time. */
export interface Compiler {
  readonly route: RouteIdentity;
  readonly host: Host;
  /** Nested steps as one processor. `errors: "off"` takes them out of the route's error handler, as doTry does. */
  steps(nodes: readonly StepNode[], scope?: { readonly errors: "off" }): Processor;
  expression(node: ExpressionNode): Expression;
  predicate(node: ExpressionNode): Expression<boolean>;
  readonly endpoints: Endpoints;
  readonly registry: Registry;
  readonly tasks: Tasks;
}

export interface Endpoints {
  /** The sink of a fixed endpoint; a wrong one is a fault of the flow. */
  to(endpoint: EndpointNode): Outlet;
  /**
   * Finds sinks while running. The scheme and address may come from a message, so the flow's own list of
   * allowed schemes decides; throws a FlowError for an endpoint that does not exist or is refused.
   */
  dynamic(options: DynamicEndpointOptions): (uri: string, exchange: Exchange) => Outlet;
  /** The poller of an endpoint, fixed or found while running. */
  poll(options: DynamicEndpointOptions): (uri: string, exchange: Exchange) => Poller;
}

export interface DynamicEndpointOptions {
  /** The URI as the flow's author wrote it, expressions included: what is literal in it is trusted. */
  readonly template: string;
  /** Comma list of schemes; undefined allows what the template fixes. */
  readonly allowedSchemes?: string;
  readonly span: import("@sluice/model").Span;
}

/** Where a message can be sent. `send` is replaced in place when a test session or a trace listener wraps it: read it at each use. */
export interface Outlet {
  /** Short resolved form, secrets masked. */
  readonly uri: string;
  send: Processor;
}

export interface Registry {
  format(node: FormatNode): Format;
  /** The bean a `#bean:name`, `#class:FQN` or plain name refers to; throws a CompileError when there is none of that kind. */
  bean(reference: string, kind: string): unknown;
  /** A `{{property}}` of the flow at run time. */
  property(name: string): string | undefined;
  /** The steps of a route template of this flow with these values for its parameters; step ids begin with `prefix`. */
  template(name: string, parameters: Readonly<Record<string, string>>, prefix: string): readonly StepNode[];
}

export interface Tasks {
  /**
   * What a step keeps between messages. Made once per deployment; started and stopped with it, never while preparing.
   * `name` tells several states of one step apart.
   */
  state<T extends Lifecycle>(name: string, create: () => T): T;
  /** Runs a copy on its own: counted as in flight, drained on stop, its failure recorded and never thrown here. */
  detach(copy: Exchange, processor: Processor): void;
}

export interface Lifecycle {
  start?(): void | Promise<void>;
  stop?(): void | Promise<void>;
}

/** What a language may use when it compiles a text. */
export interface LanguageScope {
  readonly host: Host;
  readonly route: RouteIdentity;
  property(name: string): string | undefined;
  language(name: string): LanguageDeclaration | undefined;
  bean(reference: string, kind: string): unknown;
  /**
   * Has something done before the step that uses the expression, each time it runs, so that what takes long need not be done while
   * the event loop waits. Absent where no step uses it.
   */
  readonly ahead?: (work: Processor) => void;
}

/** A fault in the flow found while compiling; becomes a diagnostic at the step's or expression's place. */
export class CompileError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  /** Where in the expression's text, or in `value`, counted from 0, when known. */
  readonly offset: number | undefined;
  /** The option at fault by name, so that it is pointed at instead of the step; also one inside other options. */
  readonly option: string | undefined;
  /** The text of the option at fault, for who knows what was written but not where. */
  readonly value: string | undefined;

  constructor(code: string, message: string, more: { hint?: string; offset?: number; option?: string; value?: string } = {}) {
    super(message);
    this.name = "CompileError";
    this.code = code;
    this.hint = more.hint;
    this.offset = more.offset;
    this.option = more.option;
    this.value = more.value;
  }
}
