// Finds an expression and its notation: the language as a key next to the options, inside `expression`, or inside the option's own name; the text as
// a bare value or as a mapping with options of the language.
import { removeOption, renameKey, setAt, setYamlAt, scalarYaml, type Edit, type OptionView, type Path, treeAt } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { inSequence } from "../document/step-edits.ts";
import type { FormScope } from "./form-scope.ts";
import { asMap, textOf } from "./tree-values.ts";

export interface ExpressionLocation {
  /** The mapping that contains the language key. */
  readonly holder: Path;
  readonly language: string | undefined;
  readonly text: string | undefined;
  /** True when the value of the language is a mapping. */
  readonly isObject: boolean;
}

export function locateExpression(scope: FormScope, option: OptionView): ExpressionLocation {
  const own: Path = [...scope.path, option.name];
  const holders: readonly Path[] = option.inline === true ? [scope.path, [...scope.path, "expression"]] : [own, [...own, "expression"]];
  for (const holder of holders) {
    const map = asMap(treeAt(scope.tree, holder));
    const entry = map?.entries.find(({ key }) => scope.catalog.language(key) !== undefined && !(holder === scope.path && isOwnOption(option, key)));
    if (entry === undefined) continue;
    const isObject = entry.value.type === "map";
    return { holder, language: entry.key, isObject, text: textOf(isObject ? treeAt(entry.value, [textKeyOf(scope.catalog, entry.key)]) : entry.value) };
  }
  return { holder: option.inline === true ? scope.path : own, language: undefined, text: undefined, isObject: false };
}

/** A language may have the same name as an option, such as `header`. */
const isOwnOption = (option: OptionView, key: string): boolean => option.name === key && option.inline !== true;

export const textKeyOf = (catalog: FlowCatalog, language: string): string => catalog.language(language)?.textKey ?? "expression";

export const writeExpression =
  (scope: FormScope, location: ExpressionLocation, text: string, language = location.language ?? "simple") =>
  (source: string): Edit => {
    const path = [...location.holder, language, ...(location.isObject ? [textKeyOf(scope.catalog, language)] : [])];
    return setAt(source, path, text, scope.shorthands);
  };

/** Changes the language and keeps the text. */
export const changeLanguage =
  (scope: FormScope, location: ExpressionLocation, language: string) =>
  (source: string): Edit => {
    if (location.language === undefined) return setYamlAt(source, [...location.holder, language], scalarYaml(""), scope.shorthands);
    const from = textKeyOf(scope.catalog, location.language);
    const to = textKeyOf(scope.catalog, language);
    const { language: old } = location;
    return inSequence(source, [
      ...(location.isObject && from !== to && location.text !== undefined ? [(text: string) => renameKey(text, [...location.holder, old], from, to)] : []),
      (text: string) => renameKey(text, location.holder, old, language),
    ]);
  };

export const removeExpression =
  (scope: FormScope, option: OptionView, location: ExpressionLocation) =>
  (source: string): Edit =>
    option.inline === true ? removeOption(source, location.holder, location.language ?? "") : removeOption(source, scope.path, option.name);
