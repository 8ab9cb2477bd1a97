// Custom rules instead of a name from a fixed list: an expression instead of an aggregation strategy, and a condition on any error instead of an
// exception type.
import { removeOption, setScalar, setYamlAt, treeAt, type Edit, type OptionView, type Path } from "@sluice/model";
import { inSequence } from "../document/step-edits.ts";
import { strings } from "../strings.ts";
import type { FormScope } from "./form-scope.ts";

export interface CustomRule {
  readonly title: string;
  write(source: string): Edit;
}

/** The rule that can replace the value at `path`; undefined when the form has no option for one. */
export function customRule(scope: FormScope, option: OptionView, options: readonly OptionView[], path: Path): CustomRule | undefined {
  const has = (name: string): boolean => options.some((candidate) => candidate.name === name);
  const pathOf = (name: string): Path => [...scope.path, name];
  const isSet = (optionPath: Path): boolean => treeAt(scope.tree, optionPath) !== undefined;
  if (option.names === "aggregation-strategy" && has("aggregationExpression")) {
    const write = (source: string): Edit =>
      inSequence(source, [
        ...(isSet(path) ? [(text: string) => removeOption(text, scope.path, option.name)] : []),
        ...(isSet(pathOf("aggregationExpression"))
          ? []
          : [(text: string) => setYamlAt(text, pathOf("aggregationExpression"), 'simple: "${variable.aggregate}${body}"', scope.shorthands)]),
      ]);
    return { title: strings.names.createExpression, write };
  }
  if (option.names === "exception" && has("onWhen")) {
    const write = (source: string): Edit =>
      inSequence(source, [
        (text) => setScalar(text, path, "java.lang.Exception"),
        ...(isSet(pathOf("onWhen"))
          ? []
          : [(text: string) => setYamlAt(text, pathOf("onWhen"), "simple: \"${exception.message} contains 'timeout'\"", scope.shorthands)]),
      ]);
    return { title: strings.names.createCondition, write };
  }
  return undefined;
}
