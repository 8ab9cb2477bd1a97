import { readTree, type Tree } from "@sluice/model";

export interface FlowSummary {
  readonly name: string;
  readonly category: string | null;
  /** The ids that are written in the flow. */
  readonly routeIds: readonly string[];
  /** All routes, including those without an id. */
  readonly routeCount: number;
  /** False for invalid YAML; the name is then the id. */
  readonly readable: boolean;
}

/** Name and category of a flow: `description` and `group` of the first route. */
export function summarize(id: string, text: string): FlowSummary {
  const { tree } = readTree(text);
  if (tree === undefined) return { name: id, category: null, routeIds: [], routeCount: 0, readable: false };
  const items = tree.type === "list" ? tree.items : [tree];
  const routes = items.flatMap((item) => member(item, "route") ?? []);
  const first = routes[0];
  return {
    name: (first === undefined ? undefined : textOf(first, "description")) ?? id,
    category: (first === undefined ? undefined : textOf(first, "group")) ?? null,
    routeIds: routes.flatMap((route) => textOf(route, "id") ?? []),
    routeCount: routes.length + items.filter((item) => member(item, "from") !== undefined).length,
    readable: true,
  };
}

function member(tree: Tree, name: string): Tree | undefined {
  return tree.type === "map" ? tree.entries.find(({ key }) => key === name)?.value : undefined;
}

function textOf(tree: Tree, name: string): string | undefined {
  const value = member(tree, name);
  return value?.type === "scalar" && value.text !== null && value.text.trim() !== "" ? value.text : undefined;
}
