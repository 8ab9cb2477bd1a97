// Declarations of a plug-in: one object per step, language, format, connector or bean. Runtime, checks, schema, docs, palette and form are all
// derived from it.
import type { ConnectorRole, Described, EntityShape, FormatShape, LanguageShape, StepShape, TriggerKind } from "@sluice/model";
import type { EntityNode, Fields, RouteNode, StepNode, Values } from "@sluice/model";
import type { Exchange } from "../exchange/exchange.ts";
import type { Awaitable, Expression, Processor } from "./processor.ts";
import type { Compiler, LanguageScope } from "./compiler.ts";
import type { Connection, ConnectionRequest } from "./connection.ts";
import type { Connector, SharedState } from "./connector.ts";
import type { Clock, Host } from "./host.ts";

/**
 * A runnable example: part of the reference, and executed as a test. `yaml` is a step, a list of steps, or a whole document. A document with a route
 * from `direct:start`, or whose first route is called over HTTP, receives the message there; any other document runs without input. The result is the
 * message that reaches `mock:result`.
 */
export interface Example {
  readonly title: string;
  readonly yaml: string;
  readonly given?: ExampleMessage;
  readonly expect: ExampleMessage & { readonly error?: string };
}

interface ExampleMessage {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export type StateScope = "one" | "node" | "shared";

export interface StepDeclaration<F extends Fields = any> extends StepShape {
  readonly options: F;
  readonly examples: readonly Example[];
  /** At most one per route. */
  readonly oncePerRoute?: boolean;
  /**
   * The step has state that lasts between messages: with several workers, its route runs on only one of them. In a cluster, state of the scope
   * `one` must be on one node; with `node`, every node has its own; `shared` state is in the store of the cluster.
   */
  readonly stateScope?: StateScope | ((options: Values<F>) => StateScope);
  compile(options: Values<F>, compiler: Compiler, node: StepNode): Processor;
}

/** Declares a step; exists only for type inference. */
export function defineStep<const F extends Fields>(declaration: StepDeclaration<F>): StepDeclaration<F> {
  return declaration;
}

export interface LanguageDeclaration extends LanguageShape {
  /** One evaluation may take milliseconds: after each step that uses it, the engine checks whether to yield to other runs. */
  readonly costly?: boolean;
  readonly examples: readonly Example[];
  /** Compiles once; throws a CompileError for invalid text. */
  compile(text: string, options: Readonly<Record<string, string>>, scope: LanguageScope): Expression;
  /** For languages whose predicates differ from expressions; otherwise truthiness decides. */
  compilePredicate?(text: string, options: Readonly<Record<string, string>>, scope: LanguageScope): Expression<boolean>;
}

export function defineLanguage(declaration: LanguageDeclaration): LanguageDeclaration {
  return declaration;
}

export interface Format {
  marshal(body: unknown, exchange: Exchange): Awaitable<unknown>;
  unmarshal(body: unknown, exchange: Exchange): Awaitable<unknown>;
}

export interface FormatDeclaration<F extends Fields = any> extends FormatShape {
  readonly options: F;
  readonly examples: readonly Example[];
  /** Creates the format. With a clock it may do long work in slices. */
  create(options: Values<F>, clock?: Clock): Format;
}

export function defineFormat<const F extends Fields>(declaration: FormatDeclaration<F>): FormatDeclaration<F> {
  return declaration;
}

export interface ConnectorDeclaration<P extends Fields = any, O extends Fields = any> extends Described {
  readonly scheme: string;
  /** Other schemes of the same connector (`https` for `http`). */
  readonly aliases?: readonly string[];
  /** How the path part is written, e.g. `timer:name` or `http://host:port/path`. */
  readonly syntax: string;
  /** The parts of the path; one field takes the whole path, several are split by `syntax`. */
  readonly path: P;
  readonly options: O;
  /** The roles of its endpoints: exactly the functions that `connect` returns. */
  readonly roles: readonly ConnectorRole[];
  /**
   * The kind of trigger of its sources: another `route` of the runtime, a `request` over HTTP, a `schedule`, or something `outside`. Trials and
   * simulations run the first two and do not start the others.
   */
  readonly trigger?: TriggerKind;
  /** Options that a source needs although they are optional for a sink, with values that the designer starts from. */
  readonly sourceStarter?: Readonly<Record<string, string>>;
  /** Options that a sink needs although they are optional for a source, with values that the designer starts from. */
  readonly sinkStarter?: Readonly<Record<string, string>>;
  /** Messages sent to the connector do not leave the runtime, so a test need not mock it. */
  readonly local?: boolean;
  /** The connector stores messages in the runtime's durable store and does nothing without one. */
  readonly usesStore?: boolean;
  /** Exception types its endpoints fail with, each with its parent, so that flows can name them in `onException` and `doCatch`. */
  readonly exceptions?: Readonly<Record<string, string>>;
  /** Warning for a route that passes the body of a request or another outside message to this sink unchanged. */
  readonly bodyCaution?: string;
  /** Unknown options are not errors but part of the address (the query of `http`). */
  readonly lenient?: boolean;
  /** Calls to a host that came from a message are limited to public addresses, so such an address gets a warning. */
  readonly guardsHost?: boolean;
  /** Prefixes of options whose full names the author chooses, such as `arg.`; their values are in `extra`. */
  readonly prefixes?: readonly string[];
  /**
   * Where its sinks and pollers may run in a service with several workers. `any`: they have no state in the process. `callee`: they call another
   * route in-process, whose placement decides. Without it, routes that use the connector run on one worker only.
   */
  readonly workers?: "any" | "callee";
  /** Headers that this source sets or that control this sink. */
  readonly headers: Fields;
  readonly examples: readonly Example[];
  /**
   * Called once per runtime. The instance may contain state that its endpoints share; `shared` contains state that several connectors share. Must
   * not start anything.
   */
  connect(host: Host, shared: SharedState): Connector<Values<P> & Values<O>>;
}

export function defineConnector<const P extends Fields, const O extends Fields>(declaration: ConnectorDeclaration<P, O>): ConnectorDeclaration<P, O> {
  return declaration;
}

/** A named object that options refer to (`#class:…`, bean name): aggregation strategies, repositories, operator functions. */
export interface BeanDeclaration<F extends Fields = any> extends Described {
  /** Its names, including Camel's class name. */
  readonly names: readonly string[];
  readonly kind:
    | "aggregation-strategy"
    | "aggregation-repository"
    | "circuit-breaker-configuration"
    | "comparator"
    | "idempotent-repository"
    | "redelivery-policy"
    | "saga-service"
    | "function"
    | "object"
    | "value";
  readonly properties: F;
  /** The properties set by its constructor arguments, in order: `#class:X(false)`. */
  readonly constructorProperties?: readonly string[];
  /** It accepts properties with any name, unparsed; `properties` is then empty. */
  readonly acceptsAnyProperty?: boolean;
  create(properties: Values<F>, host: Host, scope: BeanScope): unknown;
}

/** The parts of a flow that a bean may use. */
export interface BeanScope {
  readonly flowId: string;
  /** The bean's name in the flow, or its class name. */
  readonly name: string;
  bean(reference: string, kind: string): unknown;
  /** A connection, as for endpoints. Released when the flow stops. */
  connection<C>(request: ConnectionRequest): Connection<C>;
}

export function defineBean<const F extends Fields>(declaration: BeanDeclaration<F>): BeanDeclaration<F> {
  return declaration;
}

/** A top-level entity that expands to routes or adapts them, such as `rest`. */
export interface EntityDeclaration extends EntityShape {
  expand?(node: EntityNode, document: EntityExpansion): readonly RouteNode[];
  /** Adapts a route that is written in the document, or returns it unchanged. */
  adapt?(node: EntityNode, route: RouteNode, document: EntityExpansion): RouteNode;
}

export interface EntityExpansion {
  readonly flowId: string;
  /** Every entity of the document, for those that belong together. */
  readonly entities: readonly EntityNode[];
}

/** A part that exists but whose declaration is not loaded yet. */
export interface UnloadedPart {
  readonly kind: "connectors" | "connections" | "beans";
  /** The scheme, connection type or class name. */
  readonly name: string;
}

export interface PartIndex {
  /** True for a part that can be loaded and is not loaded yet. */
  isUnloaded(part: UnloadedPart): boolean;
  /** Every scheme in the index, aliases included, for suggestions. */
  schemes(): Iterable<string>;
  load(parts: Iterable<UnloadedPart>): Promise<void>;
}

/** All declarations of a runtime, by name. */
export interface Catalog {
  readonly steps: ReadonlyMap<string, StepDeclaration>;
  readonly languages: ReadonlyMap<string, LanguageDeclaration>;
  readonly formats: ReadonlyMap<string, FormatDeclaration>;
  readonly connectors: ReadonlyMap<string, ConnectorDeclaration>;
  readonly entities: ReadonlyMap<string, EntityDeclaration>;
  readonly beans: ReadonlyMap<string, BeanDeclaration>;
  readonly refused: ReadonlyMap<string, string>;
  /** Parts whose declarations are loaded when a flow first names them; `load` adds them to the maps above. */
  readonly index?: PartIndex;
  /** The language of templates and conditions that name none, such as preconditions and names with placeholders. */
  readonly defaultLanguage: string;
}
