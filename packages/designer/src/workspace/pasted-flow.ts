import { readTree, setOption } from "@sluice/model";

/** The pasted text with the entered name and category, if it has a route to store them in. */
export function withNameAndCategory(pasted: string, name: string, category: string): string {
  const { tree } = readTree(pasted);
  const index = tree?.type === "list" ? tree.items.findIndex((item) => item.type === "map" && item.entries[0]?.key === "route") : -1;
  if (index < 0) return pasted;
  const named = setOption(pasted, [index, "route"], "description", name);
  const text = named.ok ? named.source : pasted;
  const grouped = setOption(text, [index, "route"], "group", category);
  return grouped.ok ? grouped.source : text;
}
