import type { MapTree, Tree } from "../flow/tree.ts";

/** The mapping as written, or the expanded short text form. */
export function asMap(tree: Tree, shorthand: string | undefined): MapTree | undefined {
  if (tree.type === "map") return tree;
  if (tree.type !== "scalar" || tree.text === null || shorthand === undefined) return undefined;
  return { type: "map", entries: [{ key: shorthand, keySpan: tree.span, value: tree }], span: tree.span };
}
