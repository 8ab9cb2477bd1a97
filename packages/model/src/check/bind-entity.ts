import type { EntityNode } from "../flow/flow-document.ts";
import type { Tree } from "../flow/tree.ts";
import type { EntityShape } from "../schema/shape.ts";
import { assignStepIds } from "./assign-ids.ts";
import { bindMap } from "./bind-map.ts";
import { kindOf } from "./bind-scalar.ts";
import { asMap } from "./as-map.ts";
import type { Binding, Owner } from "./binding.ts";
import { definesBlock } from "../schema/json-schema.ts";
import { commonNames, isDisabled } from "./common-fields.ts";

/** Binds a top-level entity. An entity that is a list results in one node per item. `nth` counts entities of that name from 1. */
export function bindEntity(binding: Binding, shape: EntityShape, tree: Tree, owner: Owner, nth: number): EntityNode[] {
  binding.scopeLabel = `${shape.name} ${nth}`;
  binding.routeId = undefined;
  binding.step = undefined;
  binding.drafts = [];
  if (shape.caution !== undefined) binding.warn("entity-caution", `'${shape.name}': ${shape.caution}`, owner);
  if (shape.raw === true) return [{ name: shape.name, options: { tree }, span: owner.span }];
  const nodes = shape.many === true ? bindMany(binding, shape, tree, owner) : [bindOne(binding, shape, tree, owner)];
  assignStepIds(binding, `${shape.name}${nth}-`);
  return nodes.filter((node) => node !== undefined);
}

function bindMany(binding: Binding, shape: EntityShape, tree: Tree, owner: Owner): (EntityNode | undefined)[] {
  if (tree.type === "list")
    return tree.items.map((item, index) => bindOne(binding, shape, item, { ...owner, path: `${owner.path}[${index}]`, span: item.span }));
  binding.report("entity-shape", `'${shape.name}' must be a list, got ${kindOf(tree)}`, owner, "start each item with '- '");
  return [];
}

function bindOne(binding: Binding, shape: EntityShape, tree: Tree, owner: Owner): EntityNode | undefined {
  const map = asMap(tree, shape.shorthand);
  if (map === undefined) {
    binding.report(
      "entity-shape",
      `'${shape.name}' must be a mapping, got ${kindOf(tree)}`,
      owner,
      tree.type === "scalar" && tree.text === null ? `write '${shape.name}: {}'` : undefined,
    );
    return undefined;
  }
  const block = definesBlock(shape.options);
  const draftCount = binding.drafts.length;
  const options = bindMap(binding, map, shape.options, owner, block ? { ignore: commonNames } : {});
  if (shape.name === "errorHandler") checkErrorHandler(binding, map, owner);
  if (block && isDisabled(binding, map, owner)) {
    binding.drafts.length = draftCount;
    return undefined;
  }
  return binding.incomplete.has(options) ? undefined : { name: shape.name, options, span: owner.span };
}

/** An error handler must have exactly one type. */
export function checkErrorHandler(binding: Binding, tree: Tree | undefined, owner: Owner): void {
  const count = tree?.type === "map" ? tree.entries.filter((entry) => !commonNames.has(entry.key)).length : 0;
  if (count === 1) return;
  const message = count === 0 ? "the error handler has no type" : "the error handler has more than one type";
  binding.report(
    "error-handler-type",
    `${message}: specify exactly one, such as deadLetterChannel`,
    owner,
    "write deadLetterChannel: {deadLetterUri: …}, defaultErrorHandler: {} or noErrorHandler: {}",
  );
}
