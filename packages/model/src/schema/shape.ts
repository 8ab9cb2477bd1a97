// What checking and the tools need of a declaration: its name and fields, not how it runs. The engine's
// declarations extend these shapes, so the model can check a flow without knowing the engine.
import type { Fields } from "./field.ts";

export interface Described {
  readonly title: string;
  readonly summary: string;
  readonly group: string;
  readonly icon?: string;
  readonly since: string;
}

export interface StepShape extends Described {
  readonly name: string;
  readonly options: Fields;
  /** The option that a bare text stands for: `log: hello` is `log: {message: hello}`. */
  readonly shorthand?: string;
  /** True when a missing or empty `steps` adopts the steps that follow in the same list, as Camel does. */
  readonly adoptsSiblings?: boolean;
  /** Options that may also stand as the last items of its `steps`, as Camel's own pages write them: `doCatch`, `doFinally`. */
  readonly clausesInSteps?: readonly string[];
}

export interface LanguageShape extends Described {
  readonly name: string;
  /** The key that holds the text in the object form; `expression` unless said (`tokenize` uses `token`). */
  readonly textKey?: string;
  /** Options beside the text, such as `resultType`. */
  readonly options: Fields;
}

export interface FormatShape extends Described {
  readonly name: string;
  readonly options: Fields;
  /** The option that a bare text stands for: `custom: orders` is `custom: {ref: orders}`. */
  readonly shorthand?: string;
}

/** A top-level entity of a document other than a route. */
export interface EntityShape extends Described {
  readonly name: string;
  readonly options: Fields;
  readonly shorthand?: string;
  /** True when it must stand before the first route (`onException`, `intercept`, …). */
  readonly beforeRoutes?: boolean;
  /** For entities that are lists of things, such as `beans`: each item is bound on its own. */
  readonly many?: boolean;
  /** The body is left as a tree, `options` is `{tree}`: a template is bound when it is instantiated. */
  readonly raw?: boolean;
}

/** The names a document may use, by kind. */
export interface Vocabulary {
  readonly steps: ReadonlyMap<string, StepShape>;
  readonly languages: ReadonlyMap<string, LanguageShape>;
  readonly formats: ReadonlyMap<string, FormatShape>;
  readonly entities: ReadonlyMap<string, EntityShape>;
  /** Known words that are refused on purpose, with the sentence that says what to use instead. */
  readonly refused: ReadonlyMap<string, string>;
}
