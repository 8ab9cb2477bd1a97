import { treeAt, type OptionView, type Tree } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { asMap, textOf } from "./tree-values.ts";

/** The names of the flow's beans that describe a connection the option can use. */
export function connectionBeans(tree: Tree, option: OptionView, { view }: FlowCatalog): readonly string[] {
  const types = view.connections.filter(({ kinds }) => kinds.some((kind) => option.connection?.includes(kind)));
  const classes = new Set(types.flatMap(({ beans }) => beans));
  const entities = tree.type === "list" ? tree.items : [tree];
  return entities
    .flatMap((entity) => {
      const beans = treeAt(entity, ["beans"]);
      return beans?.type === "list" ? beans.items : [];
    })
    .filter((bean) => classes.has(textOf(treeAt(asMap(bean), ["type"]))?.replace(/^#class:/, "") ?? ""))
    .flatMap((bean) => textOf(treeAt(bean, ["name"])) ?? []);
}
