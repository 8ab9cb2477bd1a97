import type { ExpressionNode } from "../flow/flow-document.ts";
import type { MapEntry, MapTree, Tree } from "../flow/tree.ts";
import { describe } from "../schema/field.ts";
import type { LanguageShape } from "../schema/shape.ts";
import { absent, bindText, kindOf } from "./bind-scalar.ts";
import type { Absent } from "./bind-scalar.ts";
import { clip, withHint } from "./binding.ts";
import type { Binding, Owner } from "./binding.ts";
import { closest } from "./did-you-mean.ts";
import { camelCaseEntry } from "./kebab-case.ts";

/** Binds an option that is an expression: `{simple: …}`, or `{expression: {simple: …}}`. */
export function bindExpression(binding: Binding, tree: Tree, owner: Owner, what: string): ExpressionNode | Absent {
  if (tree.type !== "map") {
    const example = tree.type === "scalar" && /^(true|false)$/i.test(tree.text ?? "") ? `{constant: "${tree.text}"}` : "{simple: …}";
    binding.report(
      "expression-shape",
      `${what}: expected an expression, got ${kindOf(tree)} (write ${example})`,
      { path: owner.path, span: tree.span },
      `write ${example}`,
    );
    return absent;
  }
  const languages = tree.entries.filter((entry) => entry.key !== "id");
  if (languages.length !== 1) {
    binding.report(
      "expression-shape",
      `${what}: expected exactly one language, got ${languages.length}`,
      { path: owner.path, span: tree.span },
      "write {simple: …}",
    );
    return absent;
  }
  const entry = camelCaseEntry(binding, languages[0] as MapEntry, owner.path, (name) => binding.vocabulary.languages.has(name));
  if (entry.key === "expression" && !binding.vocabulary.languages.has("expression"))
    return bindExpression(binding, entry.value, { ...owner, path: `${owner.path}.expression` }, what);
  return bindLanguage(binding, entry, owner, what);
}

/** One entry `language: text` or `language: {expression: text, …}`. */
export function bindLanguage(binding: Binding, entry: MapEntry, owner: Owner, what: string): ExpressionNode | Absent {
  const shape = binding.vocabulary.languages.get(entry.key);
  const path = `${owner.path}.${entry.key}`;
  if (shape === undefined) {
    reportLanguage(binding, entry, path, what);
    return absent;
  }
  const label = `language '${shape.name}'`;
  if (entry.value.type === "map") return bindObject(binding, shape, entry.value, { label, path, span: entry.keySpan });
  const text = expressionText(binding, entry.value, { label, path, span: entry.keySpan });
  return text === absent ? absent : { language: shape.name, text, options: {}, span: entry.value.span };
}

function reportLanguage(binding: Binding, entry: MapEntry, path: string, what: string): void {
  const reason = binding.vocabulary.refused.get(entry.key);
  const at = { path, span: entry.keySpan };
  if (reason !== undefined) return binding.report("refused", reason, at);
  const suggestion = closest(entry.key, binding.vocabulary.languages.keys());
  const hint = suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
  binding.report("language-unknown", withHint(`unknown language '${clip(entry.key)}' in ${what}`, hint), at, hint);
}

function bindObject(binding: Binding, shape: LanguageShape, map: MapTree, owner: Owner): ExpressionNode | Absent {
  const mainKey = shape.textKey ?? "expression";
  const textKeys = [mainKey, ...(shape.otherTextKeys ?? [])];
  const text = map.entries.find((entry) => textKeys.includes(entry.key));
  const textKey = text?.key ?? mainKey;
  if (text === undefined) {
    binding.report("option-missing", `${owner.label} needs '${textKey}', the text of the expression`, owner);
    return absent;
  }
  const bound = expressionText(binding, text.value, { ...owner, path: `${owner.path}.${textKey}` });
  const values = binding.bindMap(binding, map, shape.options, owner, { ignore: new Set([textKey, "id"]), defaults: false });
  if (bound === absent) return absent;
  const options = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(values)) if (value !== undefined) options[name] = asText(binding, shape, map, name, value);
  if (shape.name === "language" && options["language"] !== undefined && !binding.vocabulary.languages.has(options["language"])) {
    binding.report(
      "language-unknown",
      `unknown language '${clip(options["language"])}'`,
      {
        path: `${owner.path}.language`,
        span: map.entries.find(({ key }) => key === "language")?.value.span ?? owner.span,
      },
      `known: ${clip([...binding.vocabulary.languages.keys()].toSorted().join(", "), 200)}`,
    );
  }
  return { language: shape.name, text: bound, options, span: text.value.span };
}

/** Options of a language are passed as text: booleans as `true` or `false`, numbers as written. */
function asText(binding: Binding, shape: LanguageShape, map: MapTree, name: string, value: unknown): string {
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  const { kind } = describe(shape.options[name] as never);
  if (kind === "list" || kind === "object" || kind === "parameters") return JSON.stringify(value);
  const valueTree = map.entries.find((entry) => entry.key === name)?.value;
  const resolution = valueTree?.type === "scalar" && valueTree.text !== null ? binding.placeholders.resolve(valueTree.text) : undefined;
  return resolution?.kind === "text" ? resolution.text : String(value);
}

/** The words `null` and `~` are valid expressions, so the source text is checked: only a missing value is an error. */
function expressionText(binding: Binding, tree: Tree, owner: Owner): string | Absent {
  // `{{?name}}` without a value results in an empty expression: null as a value, false as a condition.
  if (tree.type === "scalar" && tree.text !== null && binding.placeholders.resolve(tree.text).kind === "absent") return "";
  const writtenText = tree.type === "scalar" && tree.text === null ? binding.options.source.slice(tree.span.start, tree.span.end) : "";
  const bound = bindText(binding, writtenText === "" ? tree : { type: "scalar", text: writtenText, quoted: false, span: tree.span }, owner, owner.label);
  return bound === absent ? absent : bound.text;
}
