import type { Tree } from "../flow/tree.ts";
import { describe } from "../schema/field.ts";
import type { Field } from "../schema/field.ts";
import { spanInText } from "./error-span.ts";
import { clip } from "./binding.ts";
import type { Binding, Owner } from "./binding.ts";

/** Marks an option without a value: not written, dropped by `{{?name}}`, or invalid and reported. */
export const absent: unique symbol = Symbol("absent");
export type Absent = typeof absent;

export function kindOf(tree: Tree): string {
  return tree.type === "map" ? "a mapping" : tree.type === "list" ? "a list" : tree.text === null ? "nothing" : `'${clip(tree.text)}'`;
}

/** A scalar's text with placeholders resolved; anything else is reported. */
export function bindText(binding: Binding, tree: Tree, owner: Owner, what: string): { text: string; hasUnresolved: boolean } | Absent {
  if (tree.type !== "scalar" || tree.text === null) {
    binding.report("option-invalid", `${what}: expected a string, got ${kindOf(tree)}`, { path: owner.path, span: tree.span });
    return absent;
  }
  const resolution = binding.placeholders.resolve(tree.text);
  if (resolution.kind === "text") return resolution;
  if (resolution.kind === "fault") {
    const at = resolution.name === undefined ? -1 : tree.text.indexOf(resolution.name);
    const span = at < 0 ? tree.span : spanInText(binding.options.source, tree.span, tree.text, at);
    binding.report(resolution.code, resolution.message, { path: owner.path, span });
  }
  return absent;
}

/** Binds an option whose value is one scalar. */
export function bindScalar(binding: Binding, field: Field<unknown>, tree: Tree, owner: Owner, what: string): unknown {
  const { spec, values } = describe(field);
  if (tree.type !== "scalar" || tree.text === null) {
    const expected = values === undefined ? "a value" : `one of ${values.join(", ")}`;
    binding.report("option-invalid", `${what}: expected ${expected}, got ${kindOf(tree)}`, { path: owner.path, span: tree.span });
    return absent;
  }
  const bound = bindText(binding, tree, owner, what);
  if (bound === absent) return absent;
  if (bound.hasUnresolved) return bound.text;
  const result = field.safeParse(bound.text);
  if (result.success) {
    const caution = spec.caution?.(bound.text.trim());
    if (caution !== undefined) binding.warn("option-caution", `${what}: ${caution}`, { path: owner.path, span: tree.span });
    return result.data;
  }
  const reason = spec.secret === true ? "the value is not valid" : clip(result.error.issues[0]?.message ?? "the value is not valid", 240);
  binding.report("option-invalid", `${what}: ${reason}`, { path: owner.path, span: tree.span });
  return absent;
}

/** Binds a mapping of strings to strings, such as an endpoint's `parameters`. */
export function bindParameters(binding: Binding, tree: Tree, owner: Owner, what: string, nested = false): unknown {
  if (tree.type !== "map") {
    binding.report("option-invalid", `${what}: expected a mapping of names to values, got ${kindOf(tree)}`, { path: owner.path, span: tree.span });
    return absent;
  }
  const parameters = Object.create(null) as Record<string, string>;
  for (const { key, value } of nested ? flatten(tree) : tree.entries) {
    const bound = bindText(binding, value, { ...owner, path: `${owner.path}.${key}` }, `'${clip(key)}' in ${what}`);
    if (bound !== absent) parameters[key] = bound.text;
  }
  return parameters;
}

/** Flattens nested values: `a: {b: [x]}` is `a.b[0]: x`. */
function flatten(tree: Tree, prefix = ""): readonly { readonly key: string; readonly value: Tree }[] {
  if (tree.type === "map") return tree.entries.flatMap(({ key, value }) => flatten(value, prefix === "" ? key : `${prefix}.${key}`));
  if (tree.type === "list") return tree.items.flatMap((item, index) => flatten(item, `${prefix}[${index}]`));
  return [{ key: prefix, value: tree }];
}
