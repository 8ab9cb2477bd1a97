// What a plug-in declares: one object per step, language, format, connector or bean. Runtime, checks, schema,
// docs, palette and form all come from it.
import type { Described, EntityShape, FormatShape, LanguageShape, StepShape } from "@sluice/model";
import type { EntityNode, Fields, RouteNode, StepNode, Values } from "@sluice/model";
import type { Exchange } from "../exchange/exchange.ts";
import type { Awaitable, Expression, Processor } from "./processor.ts";
import type { Compiler, LanguageScope } from "./compiler.ts";
import type { Connector } from "./connector.ts";
import type { Host } from "./host.ts";

/**
 * A runnable example: part of the reference, and executed as a test. `yaml` is a step, a list of steps, or a whole document.
 * A document with a route from `direct:start` is given the message there, one whose first route is called over HTTP there; any
 * other runs on its own, and what reaches `mock:result` is what it comes to.
 */
export interface Example {
  readonly title: string;
  readonly yaml: string;
  readonly given?: ExampleMessage;
  readonly expect: ExampleMessage & { readonly error?: string };
}

export interface ExampleMessage {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface StepDeclaration<F extends Fields = any> extends StepShape {
  readonly options: F;
  readonly examples: readonly Example[];
  /** At most one of it in a route. */
  readonly oncePerRoute?: boolean;
  /** It remembers something from one message to the next: with several workers, its route runs in one of them only. */
  readonly keepsState?: boolean;
  compile(options: Values<F>, compiler: Compiler, node: StepNode): Processor;
}

/** Declares a step. The function only ties the types together. */
export function defineStep<const F extends Fields>(declaration: StepDeclaration<F>): StepDeclaration<F> {
  return declaration;
}

export interface LanguageDeclaration extends LanguageShape {
  /** One evaluation may take milliseconds: after a step that uses it, other runs get their turn. */
  readonly costly?: boolean;
  readonly examples: readonly Example[];
  /** Compiles once; throws a CompileError when the text is wrong. */
  compile(text: string, options: Readonly<Record<string, string>>, scope: LanguageScope): Expression;
  /** For languages that read a predicate differently from an expression; otherwise truthiness decides. */
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
  create(options: Values<F>): Format;
}

export function defineFormat<const F extends Fields>(declaration: FormatDeclaration<F>): FormatDeclaration<F> {
  return declaration;
}

export interface ConnectorDeclaration<P extends Fields = any, O extends Fields = any> extends Described {
  readonly scheme: string;
  /** Other schemes of the same connector (`https` beside `http`). */
  readonly aliases?: readonly string[];
  /** How the path part is written, e.g. `timer:name` or `http://host:port/path`. */
  readonly syntax: string;
  /** The parts of the path; one field takes the whole path, several are split as `syntax` says. */
  readonly path: P;
  readonly options: O;
  /** Unknown options are no fault but belong to the address (`http`'s query). */
  readonly lenient?: boolean;
  /**
   * Where its sinks and pollers may be used when a service has several workers: `any` holds nothing in the process, `callee` runs
   * another route in place, which decides. Without it, routes that use the connector run in one worker only.
   */
  readonly workers?: "any" | "callee";
  /** The headers a message gets from this source or that steer this sink. */
  readonly headers: Fields;
  readonly examples: readonly Example[];
  /** Called once per runtime: the instance may hold what its endpoints share, such as queues. Must start nothing. */
  connect(host: Host): Connector<Values<P> & Values<O>>;
}

export function defineConnector<const P extends Fields, const O extends Fields>(declaration: ConnectorDeclaration<P, O>): ConnectorDeclaration<P, O> {
  return declaration;
}

/** A named thing that options refer to (`#class:…`, bean name): aggregation strategies, repositories, operator functions. */
export interface BeanDeclaration<F extends Fields = any> extends Described {
  /** The names it answers to, Camel's class name among them. */
  readonly names: readonly string[];
  readonly kind: "aggregation-strategy" | "idempotent-repository" | "redelivery-policy" | "function" | "value";
  readonly properties: F;
  create(properties: Values<F>, host: Host): unknown;
}

export function defineBean<const F extends Fields>(declaration: BeanDeclaration<F>): BeanDeclaration<F> {
  return declaration;
}

/** A top-level word that stands for routes, such as `rest`: turns what was written into the routes it means. */
export interface EntityDeclaration extends EntityShape {
  expand?(node: EntityNode, document: EntityExpansion): readonly RouteNode[];
}

export interface EntityExpansion {
  readonly flowId: string;
  /** Every entity of the document, for those that belong together. */
  readonly entities: readonly EntityNode[];
}

/** Everything a runtime knows, by name. */
export interface Catalog {
  readonly steps: ReadonlyMap<string, StepDeclaration>;
  readonly languages: ReadonlyMap<string, LanguageDeclaration>;
  readonly formats: ReadonlyMap<string, FormatDeclaration>;
  readonly connectors: ReadonlyMap<string, ConnectorDeclaration>;
  readonly entities: ReadonlyMap<string, EntityDeclaration>;
  readonly beans: ReadonlyMap<string, BeanDeclaration>;
  readonly refused: ReadonlyMap<string, string>;
  /** The language of templates and conditions that name none: preconditions, names with placeholders. */
  readonly defaultLanguage: string;
}
