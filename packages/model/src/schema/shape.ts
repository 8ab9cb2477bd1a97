// The part of a declaration that checks and tools need: its name and fields, not its implementation. The engine's declarations extend these
// shapes, so the model can check a flow without the engine.
import type { Fields } from "./field.ts";

export interface Described {
  readonly title: string;
  readonly summary: string;
  /** Guarantees to users about delivery, order, memory and concurrency. One paragraph of the reference page. */
  readonly guarantees?: string;
  readonly group: string;
  readonly icon?: string;
  readonly since: string;
  /** Other words that find it in a list, such as `if` for a choice. */
  readonly keywords?: readonly string[];
  /** The purpose, used as the heading in lists of steps; default `send` for a connector. */
  readonly paletteGroup?: PaletteGroup;
  /** The text of its card on the canvas; by default its title and, for an endpoint, the address. */
  readonly card?: CardText;
}

/** The headings in lists of steps. */
export const paletteGroups = ["receive", "send", "data", "decide", "repeat", "errors", "speed", "watch", "code"] as const;

export type PaletteGroup = (typeof paletteGroups)[number];

/**
 * Text with the values of options in braces: `Set header {name}`. A title with a missing value is replaced by the default, a subtitle by
 * nothing; `{name?}` may be missing. Besides options there are `{expression}` and `{language}`, `{format}`, `{routeId}` for a trigger, and
 * for an endpoint `{address}`, `{host}` and `{path}`.
 */
export interface CardText {
  readonly title?: string;
  readonly subtitle?: string;
}

export interface StepShape extends Described {
  readonly name: string;
  readonly options: Fields;
  /** The option that a bare string sets: `log: hello` is `log: {message: hello}`. */
  readonly shorthand?: string;
  /** True when a missing or empty `steps` adopts the steps that follow in the same list, as in Camel. */
  readonly adoptsSiblings?: boolean;
  /** Options that may also be written among its `steps`, as in Camel's documentation: `doCatch`, `doFinally`. */
  readonly clausesInSteps?: readonly string[];
  /**
   * Its branches when they are not separate options. Each direct child is a branch, and a message goes to every branch (`all`) or to one of them
   * (`one`); or each address that its expression returns is a branch (`addresses`).
   */
  readonly lanes?: "all" | "one" | "addresses";
  /** The name of its plain `steps` next to its other branches, such as `Try`. */
  readonly stepsTitle?: string;
  /** True when the step can skip all its nested steps without an error, as `filter` does. */
  readonly maySkipSteps?: boolean;
}

export interface LanguageShape extends Described {
  readonly name: string;
  /** The key of the text in the object form; default `expression` (`tokenize` uses `token`). */
  readonly textKey?: string;
  /** Other keys that may hold the text instead (`method` takes `beanType` for `ref`). */
  readonly otherTextKeys?: readonly string[];
  /** Options other than the text, such as `resultType`. */
  readonly options: Fields;
}

export interface FormatShape extends Described {
  readonly name: string;
  readonly options: Fields;
  /** The option that a bare string sets: `custom: orders` is `custom: {ref: orders}`. */
  readonly shorthand?: string;
}

/** A top-level entity of a document other than a route. */
export interface EntityShape extends Described {
  readonly name: string;
  readonly options: Fields;
  readonly shorthand?: string;
  /** True when it must come before the first route (`onException`, `intercept`, …). */
  readonly beforeRoutes?: boolean;
  /** For entities that are lists, such as `beans`: each item is bound separately. */
  readonly many?: boolean;
  /** A warning for flows that use it, for example that it has no effect. */
  readonly caution?: string;
  /** The body stays a tree, `options` is `{tree}`: a template is bound when it is instantiated. */
  readonly raw?: boolean;
}

/** The names a document may use, by kind. */
export interface Vocabulary {
  readonly steps: ReadonlyMap<string, StepShape>;
  readonly languages: ReadonlyMap<string, LanguageShape>;
  readonly formats: ReadonlyMap<string, FormatShape>;
  readonly entities: ReadonlyMap<string, EntityShape>;
  /** Known names that are rejected on purpose, with a sentence that names the replacement. */
  readonly refused: ReadonlyMap<string, string>;
}
