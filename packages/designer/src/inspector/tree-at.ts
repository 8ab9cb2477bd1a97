import type { MapTree, Path, Tree } from "@sluice/model";

/** The node at a path of a tree. */
export function treeAt(tree: Tree | undefined, path: Path): Tree | undefined {
  let at = tree;
  for (const part of path) {
    if (at?.type === "map") at = at.entries.find(({ key }) => key === part)?.value;
    else at = at?.type === "list" && typeof part === "number" ? at.items[part] : undefined;
  }
  return at;
}

export const asMap = (tree: Tree | undefined): MapTree | undefined => (tree?.type === "map" ? tree : undefined);

/** The text of a scalar; undefined for other nodes. */
export const textOf = (tree: Tree | undefined): string | undefined => (tree?.type === "scalar" && tree.text !== null ? tree.text : undefined);
