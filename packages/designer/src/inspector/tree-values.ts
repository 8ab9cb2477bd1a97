import type { MapTree, Tree } from "@sluice/model";

export const asMap = (tree: Tree | undefined): MapTree | undefined => (tree?.type === "map" ? tree : undefined);

/** The text of a scalar; undefined for a null scalar and for other nodes. */
export const textOf = (tree: Tree | undefined): string | undefined => (tree?.type === "scalar" && tree.text !== null ? tree.text : undefined);
