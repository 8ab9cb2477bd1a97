import type { RouteNode } from "../flow/flow-document.ts";
import type { MapTree, Tree } from "../flow/tree.ts";
import { errorSpan } from "./error-span.ts";
import type { Binding } from "./binding.ts";

/** The ids of a document's routes, collected before binding: a generated id must not clash with an explicit id further down. */
export class RouteIds {
  readonly #binding: Binding;
  readonly #ids = new Map<number, string>();

  constructor(binding: Binding, items: readonly Tree[]) {
    this.#binding = binding;
    const usedIds = new Set<string>();
    const routes = [...items.entries()].flatMap(([index, item]) => (item.type === "map" && item.entries.length === 1 ? [{ index, item }] : []));
    for (const { index, item } of routes) {
      const id = this.#explicitId(item);
      if (id === undefined) continue;
      this.#ids.set(index, id.text);
      if (usedIds.has(id.text))
        binding.report(
          "route-id-duplicate",
          `the route id '${id.text}' is used twice in this flow`,
          { path: `[${index}].route.id`, span: id.tree.span },
          "change one of the ids",
        );
      usedIds.add(id.text);
    }
    for (const { index, item } of routes) {
      const key = item.entries[0]?.key;
      if ((key === "route" || key === "from") && !this.#ids.has(index)) this.#ids.set(index, nextFreeId(usedIds, binding.options.flowId));
    }
  }

  of(index: number): string {
    return this.#ids.get(index) ?? this.#binding.options.flowId;
  }

  checkStartupOrder(routes: readonly RouteNode[], items: readonly Tree[]): void {
    const seen = new Map<unknown, string>();
    for (const route of routes) {
      const order = route.options["startupOrder"];
      if (order === undefined) continue;
      const other = seen.get(order);
      this.#binding.routeId = route.id;
      if (other !== undefined)
        this.#binding.report(
          "startup-order-duplicate",
          `routes '${other}' and '${route.id}' have the same startupOrder ${String(order)}`,
          {
            path: "",
            span: errorSpan({ type: "list", items, span: route.span }, this.#binding.options.source, route.span, { option: "startupOrder" }),
          },
          "give one of them another number",
        );
      seen.set(order, route.id);
    }
    this.#binding.routeId = undefined;
  }

  /** The id as written, without reporting: binding the route reports errors in it. */
  #explicitId(item: MapTree): { text: string; tree: Tree } | undefined {
    const [entry] = item.entries;
    if (entry?.key !== "route" || entry.value.type !== "map") return undefined;
    const tree = entry.value.entries.find((candidate) => candidate.key === "id")?.value;
    if (tree?.type !== "scalar" || tree.text === null) return undefined;
    const resolution = this.#binding.placeholders.resolve(tree.text);
    const text = resolution.kind === "text" ? resolution.text.trim() : "";
    return text === "" ? undefined : { text, tree };
  }
}

function nextFreeId(usedIds: Set<string>, flowId: string): string {
  let id = flowId;
  for (let count = 2; usedIds.has(id); count++) id = `${flowId}-${count}`;
  usedIds.add(id);
  return id;
}
