import type { Tree } from "../flow/tree.ts";
import { describe } from "../schema/field.ts";
import type { Field, FieldInfo, Fields } from "../schema/field.ts";
import { bindExpression } from "./bind-expression.ts";
import { bindFormatMap } from "./bind-format.ts";
import { asMap } from "./as-map.ts";
import { absent, bindParameters, bindScalar, kindOf } from "./bind-scalar.ts";
import { bindSteps } from "./bind-steps.ts";
import { definesBlock } from "../schema/json-schema.ts";
import { commonNames, isDisabled } from "./common-fields.ts";
import type { Binding, Owner } from "./binding.ts";

/** Binds the value of one option. `what` names it in messages, e.g. `option 'name' of step 'setHeader'`. */
export function bindValue(binding: Binding, field: Field<unknown>, tree: Tree, owner: Owner, what: string): unknown {
  const info = describe(field);
  switch (info.kind) {
    case "parameters":
      return bindParameters(binding, tree, owner, what, info.nested);
    case "expression":
      return bindExpression(binding, tree, owner, what);
    case "format":
      return bindFormatMap(binding, tree, { ...owner, label: what });
    case "steps":
      return bindSteps(binding, tree, owner.path);
    case "list":
      return bindList(binding, info, tree, owner, what);
    case "object":
      return bindObject(binding, info, tree, { ...owner, label: what });
    default:
      return bindScalar(binding, field, tree, owner, what);
  }
}

const scalarKinds: ReadonlySet<string> = new Set(["string", "boolean", "integer", "number", "duration", "size", "enum", "uri"]);

function bindList(binding: Binding, info: FieldInfo, tree: Tree, owner: Owner, what: string): unknown {
  const item = info.item as Field<unknown>;
  const itemInfo = describe(item);
  if (tree.type === "scalar" && tree.text !== null && scalarKinds.has(itemInfo.kind)) {
    const parts: Tree[] = tree.text.split(",").map((part) => ({ ...tree, text: part.trim() }));
    return bindItems(binding, item, parts, owner, what);
  }
  if (tree.type !== "list") {
    binding.report("option-invalid", `${what}: expected a list, got ${kindOf(tree)}`, { path: owner.path, span: tree.span }, "start each item with '- '");
    return absent;
  }
  return bindItems(binding, item, tree.items, owner, what);
}

function bindItems(binding: Binding, item: Field<unknown>, trees: readonly Tree[], owner: Owner, what: string): unknown[] {
  const values: unknown[] = [];
  trees.forEach((tree, index) => {
    const position = { label: owner.label, path: `${owner.path}[${index}]`, span: tree.span };
    const value = bindValue(binding, item, tree, position, what);
    if (value !== absent) values.push(value);
  });
  return values;
}

function bindObject(binding: Binding, info: FieldInfo, tree: Tree, owner: Owner): unknown {
  const fields = info.fields as Fields;
  const map = asMap(tree, info.shorthand);
  if (map === undefined) {
    const empty = tree.type === "scalar" && tree.text === null;
    binding.report(
      "option-invalid",
      `${owner.label}: expected a mapping, got ${kindOf(tree)}`,
      { path: owner.path, span: tree.span },
      empty ? "write {} if it has no options" : tree.type === "list" && Object.hasOwn(fields, "steps") ? "write 'steps:' above the list" : undefined,
    );
    return absent;
  }
  const isBlock = definesBlock(fields);
  const draftCount = binding.drafts.length;
  const values = binding.bindMap(binding, map, fields, owner, isBlock ? { ignore: commonNames } : {});
  if (isBlock && isDisabled(binding, map, owner)) {
    binding.drafts.length = draftCount;
    return absent;
  }
  return binding.incomplete.has(values) ? absent : values;
}
