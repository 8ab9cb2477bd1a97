// What a form edits: a mapping of options somewhere in the document, with what may stand there as a bare text instead.
import { createContext, useContext, type ComponentType } from "react";
import { removeOption, setAt, type Edit, type Kind, type OptionView, type Path, type Tree } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import type { Problem } from "../document/problem.ts";
import { inSequence } from "../document/step-edits.ts";
import { treeAt, textOf } from "./tree-at.ts";

type Shorthands = ReadonlyMap<number, string>;

export interface FieldProps {
  readonly option: OptionView;
  /** All options of the declaration. */
  readonly options: readonly OptionView[];
}

/** What draws an option of each kind; `string` draws all kinds that have none of their own. */
export type FieldKinds = Readonly<Partial<Record<Kind, ComponentType<FieldProps>>>>;

export interface FormScope {
  readonly fields: FieldKinds;
  readonly catalog: FlowCatalog;
  readonly tree: Tree;
  /** The mapping the fields belong to. */
  readonly path: Path;
  /** By the length of a path: the option a bare text at that place stands for. */
  readonly shorthands: Shorthands;
  /** The faults of the selected step. */
  readonly problems: readonly Problem[];
  /** The length of the path down to which mappings that become empty are taken away. */
  readonly outermost: number;
  /** Whether the addresses here are where messages come from or go to. */
  readonly role: "source" | "sink" | "poller";
}

export const FormContext = createContext<FormScope | undefined>(undefined);

export function useForm(): FormScope {
  const scope = useContext(FormContext);
  if (scope === undefined) throw new Error("used outside a form");
  return scope;
}

/** The same form one level further in. */
export function inner(scope: FormScope, name: string | number, shorthand?: string): FormScope {
  const path = [...scope.path, name];
  return { ...scope, path, shorthands: shorthand === undefined ? scope.shorthands : new Map([...scope.shorthands, [path.length, shorthand]]) };
}

/** The option's node: itself, or the bare text that stands for it. */
export function valueAt({ tree, path, shorthands }: FormScope, name: string): Tree | undefined {
  const owner = treeAt(tree, path);
  if (owner?.type === "scalar") return owner.text !== null && shorthands.get(path.length) === name ? owner : undefined;
  return treeAt(owner, [name]);
}

export const textAt = (scope: FormScope, name: string): string | undefined => textOf(valueAt(scope, name));

/** Where the option's text is written: the bare text itself as long as there is no other option. */
function placeOf(scope: FormScope, name: string): Path {
  const owner = treeAt(scope.tree, scope.path);
  const isBare = owner?.type === "scalar" && owner.text !== null && scope.shorthands.get(scope.path.length) === name;
  return isBare ? scope.path : [...scope.path, name];
}

export const writeText =
  (scope: FormScope, name: string, text: string) =>
  (source: string): Edit =>
    setAt(source, placeOf(scope, name), text, scope.shorthands);

/** Takes an option out, and the mapping around it when that is empty then and stands inside the form. */
export const removeValue =
  (scope: FormScope, name: string) =>
  (source: string): Edit => {
    const owner = treeAt(scope.tree, scope.path);
    if (owner?.type !== "map") return setAt(source, scope.path, "");
    const isOnly = owner.entries.length === 1 && scope.path.length > scope.outermost && typeof scope.path.at(-1) === "string";
    return isOnly
      ? removeOption(source, scope.path.slice(0, -1), String(scope.path.at(-1)))
      : inSequence(source, [(text) => removeOption(text, scope.path, name)]);
  };

/** What is wrong with the value at a place, found by its lines. */
export function faultAt(scope: FormScope, value: Tree | undefined): string | undefined {
  if (value === undefined) return undefined;
  const { line, endLine, endColumn } = value.span;
  const last = endColumn === 1 && endLine > line ? endLine - 1 : endLine;
  return scope.problems.find((problem) => problem.line >= line && problem.line <= last)?.message;
}
