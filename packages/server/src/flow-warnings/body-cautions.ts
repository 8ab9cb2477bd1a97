// Warns about routes that pass a received body unchanged to a connector that executes it.
import { schemeOf, type Diagnostic, type MapTree, type Tree } from "@sluice/model";
import type { ServerCatalog } from "../catalog.ts";

/** Steps that may come between the trigger and the connector without changing the body. */
const keepsBody = /^(?:log|delay|set(?!Body$)\w+|remove\w+)$/;

/** The warnings of all routes of a flow. */
export function bodyCautions(tree: Tree, { connectors }: Pick<ServerCatalog, "connectors">): readonly Diagnostic[] {
  const connectorOf = (endpoint: Tree | undefined) => {
    const uri = endpoint?.type === "map" ? valueOf(endpoint, "uri") : endpoint;
    return uri?.type === "scalar" ? connectors.get(schemeOf(uri.text ?? "")) : undefined;
  };
  const found: Diagnostic[] = [];
  for (const from of triggersIn(tree)) {
    const trigger = connectorOf(from)?.trigger;
    const steps = valueOf(from, "steps");
    if ((trigger !== "request" && trigger !== "outside") || steps?.type !== "list") continue;
    for (const step of steps.items) {
      const [entry] = step.type === "map" ? step.entries : [];
      if (entry === undefined) break;
      const message = entry.key === "to" ? connectorOf(entry.value)?.bodyCaution : undefined;
      if (message !== undefined) found.push({ code: "body-caution", severity: "warning", message, path: "", span: entry.value.span });
      if (!keepsBody.test(entry.key)) break;
    }
  }
  return found;
}

function* triggersIn(tree: Tree): Generator<MapTree> {
  if (tree.type !== "list") return;
  for (const item of tree.items) {
    if (item.type !== "map") continue;
    const route = valueOf(item, "route");
    const from = valueOf(route?.type === "map" ? route : item, "from");
    if (from?.type === "map") yield from;
  }
}

const valueOf = (map: MapTree, key: string): Tree | undefined => map.entries.find((entry) => entry.key === key)?.value;
