// Finds an expression and its notation: the language as a key next to the options, inside `expression`, or under the option's own key; the text as
// a bare value or as a mapping with options of the language.
import { removeOption, renameKey, setAt, setYamlAt, scalarYaml, type Edit, type OptionView, type Path, treeAt } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { inSequence } from "../document/step-edits.ts";
import type { FormScope } from "./form-scope.ts";
import { asMap, textOf } from "./tree-values.ts";

export interface ExpressionLocation {
  /** Path of the mapping that contains the language key. */
  readonly mappingPath: Path;
  readonly language: string | undefined;
  readonly text: string | undefined;
  /** True when the value of the language is a mapping. */
  readonly isObject: boolean;
}

export function locateExpression(scope: FormScope, option: OptionView): ExpressionLocation {
  const optionPath: Path = [...scope.path, option.name];
  const mappingPaths: readonly Path[] = option.inline === true ? [scope.path, [...scope.path, "expression"]] : [optionPath, [...optionPath, "expression"]];
  for (const mappingPath of mappingPaths) {
    const map = asMap(treeAt(scope.tree, mappingPath));
    const entry = map?.entries.find(({ key }) => scope.catalog.language(key) !== undefined);
    if (entry === undefined) continue;
    const isObject = entry.value.type === "map";
    return { mappingPath, language: entry.key, isObject, text: textOf(isObject ? treeAt(entry.value, [textKeyOf(scope.catalog, entry.key)]) : entry.value) };
  }
  return { mappingPath: option.inline === true ? scope.path : optionPath, language: undefined, text: undefined, isObject: false };
}

export const textKeyOf = (catalog: FlowCatalog, language: string): string => catalog.language(language)?.textKey ?? "expression";

export const writeExpression =
  (scope: FormScope, location: ExpressionLocation, text: string, language = location.language ?? "simple") =>
  (source: string): Edit => {
    const path = [...location.mappingPath, language, ...(location.isObject ? [textKeyOf(scope.catalog, language)] : [])];
    return setAt(source, path, text, scope.shorthands);
  };

/** Changes the language and keeps the text. */
export const changeLanguage =
  (scope: FormScope, location: ExpressionLocation, language: string) =>
  (source: string): Edit => {
    if (location.language === undefined) return setYamlAt(source, [...location.mappingPath, language], scalarYaml(""), scope.shorthands);
    const from = textKeyOf(scope.catalog, location.language);
    const to = textKeyOf(scope.catalog, language);
    const { language: old } = location;
    return inSequence(source, [
      ...(location.isObject && from !== to && location.text !== undefined ? [(text: string) => renameKey(text, [...location.mappingPath, old], from, to)] : []),
      (text: string) => renameKey(text, location.mappingPath, old, language),
    ]);
  };

export const removeExpression =
  (scope: FormScope, option: OptionView, location: ExpressionLocation) =>
  (source: string): Edit =>
    option.inline === true ? removeOption(source, location.mappingPath, location.language ?? "") : removeOption(source, scope.path, option.name);
