// What the binding functions share while one document is bound: the vocabulary, the placeholders, the faults
// found so far and the steps that still wait for their ids.
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

/** What an option, step or entity belongs to, for messages and places. */
export interface Owner {
  /** As a sentence names it: `step 'log'`, `'when' of step 'choice'`. */
  readonly label: string;
  readonly path: string;
  readonly span: Span;
}

/** A step whose id is not decided yet. */
export interface StepDraft {
  readonly node: { id: string } & Omit<StepNode, "id">;
  readonly path: string;
}

const maxFaults = 200;

/** What is different about one mapping. */
export interface MapRules {
  /** Keys that somebody else reads. */
  readonly ignore?: ReadonlySet<string>;
  /** False leaves out what is not written instead of filling in defaults. */
  readonly defaults?: boolean;
}

/** Binds a mapping by the fields of a declaration. */
export type BindMap = (binding: Binding, map: MapTree, fields: Fields, owner: Owner, rules?: MapRules) => Record<string, unknown>;

export class Binding {
  readonly vocabulary: Vocabulary;
  /** Handed in because mappings, steps, expressions and formats hold each other: this is where the circle closes. */
  readonly bindMap: BindMap;
  readonly options: BindOptions;
  readonly placeholders: Placeholders;
  /** Names the route or entity being bound, as in `route 'orders'`. */
  place = "this flow";
  routeId: string | undefined;
  step: StepDraft | undefined;
  /** Steps of the route or entity being bound, in document order. */
  drafts: StepDraft[] = [];
  depth = 0;
  readonly #faults: { readonly diagnostic: Diagnostic; readonly step: StepDraft | undefined }[] = [];

  constructor(vocabulary: Vocabulary, options: BindOptions, bindMap: BindMap) {
    this.vocabulary = vocabulary;
    this.bindMap = bindMap;
    this.options = options;
    this.placeholders = new Placeholders(options);
  }

  report(code: string, message: string, at: { readonly path: string; readonly span: Span }, hint?: string): void {
    if (this.#faults.length >= maxFaults) return;
    const diagnostic: Diagnostic = {
      code,
      severity: "error",
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

/** A name or value as it may stand in a message. */
export function clip(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** A message with its remedy in brackets behind it. */
export function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message} (${hint})`;
}
