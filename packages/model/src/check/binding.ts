// State shared by the binding functions for one document: the vocabulary, the placeholders, the errors found so far and the steps of the current
// route or entity.
import type { Diagnostic } from "../flow/diagnostic.ts";
import type { Span } from "../flow/span.ts";
import type { StepNode } from "../flow/flow-document.ts";
import type { MapTree } from "../flow/tree.ts";
import type { Fields } from "../schema/field.ts";
import type { Vocabulary } from "../schema/shape.ts";
import { Placeholders } from "./placeholders.ts";
import type { PlaceholderOptions } from "./placeholders.ts";

export interface BindOptions extends PlaceholderOptions {
  /** Routes without an id are named after it. */
  readonly flowId: string;
  /** The text the tree was read from. */
  readonly source: string;
}

/** The owner of an option, step or entity, for messages and positions. */
export interface Owner {
  /** As used in messages: `step 'log'`, `'when' of step 'choice'`. */
  readonly label: string;
  readonly path: string;
  readonly span: Span;
}

/** A step whose id is assigned, if it has none, when its route or entity is complete. */
export interface StepDraft {
  readonly node: { id: string } & Omit<StepNode, "id">;
  readonly path: string;
}

const maxFaults = 200;

/** Options for binding one mapping. */
export interface MapRules {
  /** Keys that other code reads. */
  readonly ignore?: ReadonlySet<string>;
  /** False omits options that are not written instead of filling in defaults. */
  readonly defaults?: boolean;
}

/** Binds a mapping by the fields of a declaration. */
export type BindMap = (binding: Binding, map: MapTree, fields: Fields, owner: Owner, rules?: MapRules) => Record<string, unknown>;

export class Binding {
  readonly vocabulary: Vocabulary;
  /** Passed in because mappings, steps, expressions and formats are mutually recursive. */
  readonly bindMap: BindMap;
  readonly options: BindOptions;
  readonly placeholders: Placeholders;
  /** The route or entity being bound, as in `route 'orders'`. */
  scopeLabel = "this flow";
  routeId: string | undefined;
  step: StepDraft | undefined;
  /** Steps of the route or entity being bound, in document order. */
  drafts: StepDraft[] = [];
  depth = 0;
  /** Bound mappings that lack a required option. Their parents are omitted, so that all bound values match their declared types. */
  readonly incomplete = new WeakSet<object>();
  readonly #faults: { readonly diagnostic: Diagnostic; readonly step: StepDraft | undefined }[] = [];

  constructor(vocabulary: Vocabulary, options: BindOptions, bindMap: BindMap) {
    this.vocabulary = vocabulary;
    this.bindMap = bindMap;
    this.options = options;
    this.placeholders = new Placeholders(options);
  }

  report(code: string, message: string, at: { readonly path: string; readonly span: Span }, hint?: string): void {
    this.#add("error", code, message, at, hint);
  }

  /** Reports something valid that is probably a mistake. */
  warn(code: string, message: string, at: { readonly path: string; readonly span: Span }): void {
    this.#add("warning", code, message, at);
  }

  #add(severity: Diagnostic["severity"], code: string, message: string, at: { readonly path: string; readonly span: Span }, hint?: string): void {
    if (this.#faults.length >= maxFaults) return;
    const diagnostic: Diagnostic = {
      code,
      severity,
      message: clip(message, 400),
      path: at.path,
      span: at.span,
      ...(this.routeId === undefined ? {} : { routeId: this.routeId }),
      ...(hint === undefined ? {} : { hint }),
    };
    this.#faults.push({ diagnostic, step: this.step });
  }

  get diagnostics(): Diagnostic[] {
    const all = this.#faults.map(({ diagnostic, step }) => (step === undefined || step.node.id === "" ? diagnostic : { ...diagnostic, stepId: step.node.id }));
    return all.toSorted((left, right) => left.span.start - right.span.start);
  }
}

/** Shortens a name or value for a message. */
export function clip(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Appends the hint to a message in parentheses. */
export function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message} (${hint})`;
}
