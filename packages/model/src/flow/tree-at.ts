import type { Path } from "../write/layout.ts";
import type { Tree } from "./tree.ts";

/** The node at a path of a tree. */
export function treeAt(tree: Tree | undefined, path: Path): Tree | undefined {
  let at = tree;
  for (const part of path) {
    if (at?.type === "map") at = at.entries.find(({ key }) => key === part)?.value;
    else at = at?.type === "list" && typeof part === "number" ? at.items[part] : undefined;
  }
  return at;
}
