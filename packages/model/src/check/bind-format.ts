import type { FormatNode } from "../flow/flow-document.ts";
import type { MapEntry, Tree } from "../flow/tree.ts";
import { f } from "../schema/field.ts";
import type { FormatShape } from "../schema/shape.ts";
import { asMap } from "./as-map.ts";
import { absent, kindOf } from "./bind-scalar.ts";
import type { Absent } from "./bind-scalar.ts";
import { clip, withHint } from "./binding.ts";
import type { Binding, Owner } from "./binding.ts";
import { closest } from "./did-you-mean.ts";
import { camelCaseEntry } from "./kebab-case.ts";

const idField = { id: f.string({ doc: "Name used by other steps to refer to this format." }) };

/** Cached: information about a set of options is stored by the identity of the set. */
const namedOptions = new WeakMap<FormatShape, FormatShape["options"]>();

function optionsOf(shape: FormatShape): FormatShape["options"] {
  let options = namedOptions.get(shape);
  if (options === undefined) namedOptions.set(shape, (options = { ...idField, ...shape.options }));
  return options;
}

/** Binds one entry `json: {…}` that names a data format and its options. */
export function bindFormat(binding: Binding, mapEntry: MapEntry, owner: Owner): FormatNode | Absent {
  const entry = camelCaseEntry(binding, mapEntry, owner.path, (name) => binding.vocabulary.formats.has(name));
  const shape = binding.vocabulary.formats.get(entry.key);
  const at: Owner = { label: `data format '${clip(entry.key)}'`, path: `${owner.path}.${entry.key}`, span: entry.keySpan };
  if (shape === undefined) {
    const reason = binding.vocabulary.refused.get(entry.key);
    const suggestion = closest(entry.key, binding.vocabulary.formats.keys());
    const hint = suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
    if (reason !== undefined) binding.report("refused", reason, at);
    else binding.report("format-unknown", withHint(`unknown data format '${clip(entry.key)}' in ${owner.label}`, hint), at, hint);
    return absent;
  }
  const map = asMap(entry.value, shape.shorthand);
  if (map === undefined) {
    const hint = `write '${shape.name}: {}'`;
    binding.report("option-invalid", `${at.label} needs a mapping, got ${kindOf(entry.value)} (${hint})`, at, hint);
    return absent;
  }
  const options = binding.bindMap(binding, map, optionsOf(shape), at);
  return binding.incomplete.has(options) ? absent : { name: shape.name, options, span: entry.keySpan };
}

/** Binds a mapping whose only key names a data format. */
export function bindFormatMap(binding: Binding, tree: Tree, owner: Owner): FormatNode | Absent {
  if (tree.type === "map" && tree.entries.length === 1) return bindFormat(binding, tree.entries[0] as MapEntry, owner);
  binding.report(
    "option-invalid",
    `${owner.label}: expected a mapping with exactly one data format, got ${kindOf(tree)}`,
    { path: owner.path, span: tree.span },
    "write {json: {}}",
  );
  return absent;
}
