// The endpoint addresses in the text of a flow.
import type { Span, Tree } from "@sluice/model";
import type { ServerCatalog } from "../catalog.ts";

export interface WrittenAddress {
  readonly text: string;
  readonly span: Span;
}

/** True if the value under this key is an address. */
export const isAddress = (key: string, { steps }: Pick<ServerCatalog, "steps">): boolean =>
  key === "uri" || key === "from" || steps.get(key)?.shorthand === "uri";

export function* addressesIn(tree: Tree, catalog: Pick<ServerCatalog, "steps">, key = ""): Generator<WrittenAddress> {
  if (tree.type === "list") for (const item of tree.items) yield* addressesIn(item, catalog, key);
  else if (tree.type === "map") for (const entry of tree.entries) yield* addressesIn(entry.value, catalog, entry.key);
  else if (isAddress(key, catalog)) yield { text: tree.text ?? "", span: tree.span };
}
