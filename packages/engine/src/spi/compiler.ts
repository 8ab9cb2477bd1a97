import type { EndpointNode, ExpressionNode, FormatNode, KameletUse, StepNode } from "@sluice/model";
import type { Exchange } from "../exchange/exchange.ts";
import type { Message } from "../exchange/message.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { Poller } from "./connector.ts";
import type { Format, LanguageDeclaration, UnloadedPart } from "./declaration.ts";
import type { Host } from "./host.ts";
import type { Expression, Processor } from "./processor.ts";

/** The API for a step's `compile` function. It is for deploy time only; the compiled step is for run time. */
export interface Compiler {
  readonly route: RouteIdentity;
  readonly host: Host;
  /** Nested steps as one processor. `errors: "off"` excludes them from the route's error handler, as doTry does. */
  steps(nodes: readonly StepNode[], scope?: { readonly errors: "off" }): Processor;
  expression(node: ExpressionNode): Expression;
  predicate(node: ExpressionNode): Expression<boolean>;
  readonly endpoints: Endpoints;
  readonly registry: Registry;
  readonly tasks: Tasks;
}

export interface Endpoints {
  /** The sink of a fixed endpoint; an invalid one is an error in the flow. */
  to(endpoint: EndpointNode): Outlet;
  /**
   * Resolves sinks at run time. The URI may come from a message, so only URIs that the flow allows are accepted (see
   * compile/dynamic-endpoints.ts); throws a FlowError for an unknown or rejected endpoint.
   */
  dynamic(options: DynamicEndpointOptions): (uri: string, exchange: Exchange) => Outlet;
  /** The poller of an endpoint, fixed or resolved at run time. */
  poll(options: DynamicEndpointOptions): (uri: string, exchange: Exchange) => Poller;
}

export interface DynamicEndpointOptions {
  /** The URI as written in the flow, expressions included: its literal parts are trusted. */
  readonly template: string;
  /** Comma-separated schemes; undefined allows the scheme that is literal in the template, and URIs that appear in the flow. */
  readonly allowedSchemes?: string;
  /** The addresses, if the flow contains them without expressions: invalid ones are errors in the flow. */
  readonly written?: readonly string[];
  readonly span: import("@sluice/model").Span;
}

/** A destination. `send` is replaced in place when a test session or a trace listener wraps it: read it at each use. */
export interface Outlet {
  /** Short resolved form, secrets masked. */
  readonly uri: string;
  send: Processor;
}

export interface Registry {
  format(node: FormatNode): Format;
  /** The bean that `#bean:name`, `#class:FQN` or a plain name refers to; throws a CompileError when there is none of that kind. */
  bean(reference: string, kind: string): unknown;
  /** A `{{property}}` of the flow at run time. */
  property(name: string): string | undefined;
  /** The steps of a route template of this flow, or of a Kamelet, with these parameter values; step ids begin with `prefix`. */
  template(use: KameletUse, prefix: string): readonly StepNode[];
}

export interface Tasks {
  /**
   * State of a step that lasts between messages. Created once per deployment; started and stopped with it, never during prepare. `name` distinguishes
   * several states of one step.
   */
  state<T extends Lifecycle>(name: string, create: () => T): T;
  /** An exchange that no source delivered, such as a group read from a database. It runs with `detach`. */
  restore(message: Message): Exchange;
  /** Runs a detached copy: counted as in flight, drained on stop, its failure recorded and never thrown here. */
  detach(copy: Exchange, processor: Processor): void;
}

export interface Lifecycle {
  start?(): void | Promise<void>;
  stop?(): void | Promise<void>;
}

/** The API for a language that compiles a string. */
export interface LanguageScope {
  readonly host: Host;
  readonly route: RouteIdentity;
  property(name: string): string | undefined;
  language(name: string): LanguageDeclaration | undefined;
  bean(reference: string, kind: string): unknown;
  /**
   * Registers work to do before the step that uses the expression, each time it runs, so that long work need not block the event loop.
   * Absent where no step uses it, and at run time.
   */
  readonly beforeStep?: ((work: Processor) => void) | undefined;
}

// A plug-in may bundle its own copy of this class, so recognize it by this symbol instead of `instanceof`.
const brand: unique symbol = Symbol.for("sluice.CompileError");

/** An error in the flow found during compilation; becomes a diagnostic at the step's or expression's position. */
export class CompileError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  /** Offset in the expression's text, or in `value`, counted from 0, when known. */
  readonly offset: number | undefined;
  /** The name of the invalid option, possibly nested, so that the diagnostic points at it instead of the step. */
  readonly option: string | undefined;
  /** The text of the invalid option, for code that has the text but not its position. */
  readonly value: string | undefined;
  /** The part that must be loaded before this can be compiled. */
  readonly unloaded: UnloadedPart | undefined;
  /** More errors of the same step or endpoint, each reported as its own diagnostic. */
  readonly others: readonly CompileError[];

  constructor(
    code: string,
    message: string,
    details: { hint?: string; offset?: number; option?: string; value?: string; unloaded?: UnloadedPart; others?: readonly CompileError[] } = {},
  ) {
    super(message);
    this.name = "CompileError";
    this.code = code;
    this.hint = details.hint;
    this.offset = details.offset;
    this.option = details.option;
    this.value = details.value;
    this.unloaded = details.unloaded;
    this.others = details.others ?? [];
  }

  get [brand](): true {
    return true;
  }
}

/** True for a CompileError of any copy of this package. */
export function isCompileError(value: unknown): value is CompileError {
  return typeof value === "object" && value !== null && brand in value;
}
