// Reads and builds YAML trees: a converted document keeps the positions of its original parts.
import type { Span } from "../flow/span.ts";
import type { ListTree, MapEntry, MapTree, ScalarTree, Tree } from "../flow/tree.ts";

export const valueOf = (tree: Tree | undefined, key: string): Tree | undefined =>
  tree?.type === "map" ? tree.entries.find((entry) => entry.key === key)?.value : undefined;

export const textOf = (tree: Tree | undefined): string | undefined => (tree?.type === "scalar" ? (tree.text ?? undefined) : undefined);

export const entriesOf = (tree: Tree | undefined): readonly MapEntry[] => (tree?.type === "map" ? tree.entries : []);

export const itemsOf = (tree: Tree | undefined): readonly Tree[] => (tree?.type === "list" ? tree.items : []);

export const scalar = (text: string, span: Span): ScalarTree => ({ type: "scalar", text, quoted: true, span });

export const list = (items: readonly Tree[], span: Span): ListTree => ({ type: "list", items, span });

/** A mapping of the members that have a value. */
export function map(members: Readonly<Record<string, Tree | undefined>>, span: Span): MapTree {
  const entries = Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [{ key, keySpan: value.span, value }]));
  return { type: "map", entries, span };
}
