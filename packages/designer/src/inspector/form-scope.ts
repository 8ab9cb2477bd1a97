// The target of a form: a mapping of options in the document, and the bare scalar that may replace it.
import { createContext, useContext, type ComponentType } from "react";
import { removeOption, setAt, type Edit, type Kind, type OptionView, type Path, type Tree, treeAt } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import type { Problem } from "../document/problem.ts";
import { inSequence } from "../document/step-edits.ts";
import { textOf } from "./tree-values.ts";

type Shorthands = ReadonlyMap<number, string>;

export interface FieldProps {
  readonly option: OptionView;
  /** All options of the declaration. */
  readonly options: readonly OptionView[];
}

/** The component for each kind of option; `string` is the fallback. */
export type FieldKinds = Readonly<Partial<Record<Kind, ComponentType<FieldProps>>>>;

export interface FormScope {
  readonly fields: FieldKinds;
  readonly catalog: FlowCatalog;
  readonly tree: Tree;
  /** Path of the mapping that the fields belong to. */
  readonly path: Path;
  /** By path length: the option that a bare scalar at that position sets. */
  readonly shorthands: Shorthands;
  /** The problems of the selected step. */
  readonly problems: readonly Problem[];
  /** Mappings with a longer path than this are removed when they become empty. */
  readonly outermost: number;
  /** The role of endpoints in this form. */
  readonly role: "source" | "sink" | "poller";
}

export const FormContext = createContext<FormScope | undefined>(undefined);

export function useForm(): FormScope {
  const scope = useContext(FormContext);
  if (scope === undefined) throw new Error("useForm must be called inside a FormContext");
  return scope;
}

/** The form scope of a nested mapping. */
export function nestedScope(scope: FormScope, name: string | number, shorthand?: string): FormScope {
  const path = [...scope.path, name];
  return { ...scope, path, shorthands: shorthand === undefined ? scope.shorthands : new Map([...scope.shorthands, [path.length, shorthand]]) };
}

/** The node of the option: its own, or the bare scalar that sets it. */
export function valueAt({ tree, path, shorthands }: FormScope, name: string): Tree | undefined {
  const owner = treeAt(tree, path);
  if (owner?.type === "scalar") return owner.text !== null && shorthands.get(path.length) === name ? owner : undefined;
  return treeAt(owner, [name]);
}

export const textAt = (scope: FormScope, name: string): string | undefined => textOf(valueAt(scope, name));

/** Where the option is written: the bare scalar itself while there is no other option. */
function pathToWrite(scope: FormScope, name: string): Path {
  const owner = treeAt(scope.tree, scope.path);
  const isBare = owner?.type === "scalar" && owner.text !== null && scope.shorthands.get(scope.path.length) === name;
  return isBare ? scope.path : [...scope.path, name];
}

export const writeText =
  (scope: FormScope, name: string, text: string) =>
  (source: string): Edit =>
    setAt(source, pathToWrite(scope, name), text, scope.shorthands);

/** Removes an option, and the mapping around it if that becomes empty and is part of the form. */
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

/** The error of a value, found by its lines. */
export function problemAt(scope: FormScope, value: Tree | undefined): string | undefined {
  if (value === undefined) return undefined;
  const { line, endLine, endColumn } = value.span;
  const last = endColumn === 1 && endLine > line ? endLine - 1 : endLine;
  return scope.problems.find((problem) => problem.line >= line && problem.line <= last)?.message;
}
