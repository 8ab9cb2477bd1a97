// The flow as data. Options are bound: coerced by the step's declaration, placeholders resolved, nested steps and expressions converted to
// nodes. The engine compiles it.
import type { Span } from "./span.ts";

/** An expression as written: its language, its text and other options (`resultType`, `trim`, …). */
export interface ExpressionNode {
  readonly language: string;
  readonly text: string;
  readonly options: Readonly<Record<string, string>>;
  readonly span: Span;
}

/** An endpoint as written: a URI, and the options given as `parameters`. */
export interface EndpointNode {
  readonly uri: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly span: Span;
}

/** One step with its bound options. `id` is always set: by the author, or kind plus counter per route (`log1`). */
export interface StepNode {
  readonly id: string;
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly span: Span;
  readonly description?: string;
}

/** A data format as written: `json: {library: jackson}` is name `json` with its bound options. */
export interface FormatNode {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly span: Span;
}

export interface RouteNode {
  readonly id: string;
  readonly from: EndpointNode;
  /** Options of `from` other than the endpoint, such as `variableReceive`. */
  readonly fromOptions: Readonly<Record<string, unknown>>;
  readonly steps: readonly StepNode[];
  /** Options of the route: description, group, autoStartup, startupOrder, errorHandler, … */
  readonly options: Readonly<Record<string, unknown>>;
  readonly span: Span;
}

/**
 * A top-level entity other than a route: `onException`, `errorHandler`, `intercept`, `beans`, `rest`, … Bound by its declaration exactly as
 * a step is.
 */
export interface EntityNode {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly span: Span;
}

export interface FlowDocument {
  readonly routes: readonly RouteNode[];
  readonly entities: readonly EntityNode[];
  /** The exact text the document was read from. */
  readonly source: string;
}
