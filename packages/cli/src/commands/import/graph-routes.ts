// Converts a graph of nodes to routes: a chain of nodes becomes a list of steps; a node that several chains lead to becomes a route.
import { slug } from "@sluice/model";
import type { Step } from "./import-result.ts";

export interface GraphNode {
  readonly id: string;
  readonly name: string;
  /** The `from` endpoint, for a node that starts a route. */
  readonly trigger?: { readonly uri: string; readonly parameters?: Readonly<Record<string, string>> };
  /** The steps of the node itself. */
  readonly steps: readonly Step[];
  /** The nodes connected to each output. */
  readonly outputs: readonly (readonly string[])[];
  /** For a node that routes between its outputs: builds the step that contains the steps of each output. */
  readonly branch?: (branches: readonly (readonly Step[])[]) => Step;
}

export function routesOfGraph(nodes: readonly GraphNode[]): readonly Step[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const incoming = new Map<string, number>();
  for (const target of nodes.flatMap(({ outputs }) => outputs.flat())) incoming.set(target, (incoming.get(target) ?? 0) + 1);
  const shared = new Set([...incoming].filter(([id, count]) => count > 1 && byId.get(id)?.trigger === undefined).map(([id]) => id));
  for (const id of nodesInCycles(nodes, byId)) shared.add(id);
  const names = uniqueNames(nodes);
  const endpoint = (id: string): Step => ({ to: { uri: `direct:${names.get(id)}` } });
  const branchTargets = new Set<string>();

  const stepsTo = (targets: readonly string[]): readonly Step[] => {
    const existing = targets.filter((id) => byId.has(id));
    const [only] = existing;
    if (only === undefined) return [];
    if (existing.length === 1) return shared.has(only) ? [endpoint(only)] : chain(byId.get(only) as GraphNode);
    // Parallel outputs: each becomes a route, called in sequence with a copy of the message.
    for (const id of existing) if (!shared.has(id)) branchTargets.add(id);
    return [{ multicast: { steps: existing.map(endpoint) } }];
  };
  const chain = (node: GraphNode): readonly Step[] => {
    if (node.branch !== undefined) return [...node.steps, node.branch(node.outputs.map(stepsTo))];
    return [...node.steps, ...stepsTo(node.outputs.flat())];
  };
  const route = (node: GraphNode, from: { readonly uri: string; readonly parameters?: Readonly<Record<string, string>> }): Step => {
    const steps = chain(node);
    return {
      route: { id: names.get(node.id), description: node.name, from: { ...from, steps: steps.length === 0 ? [{ log: { message: "${body}" } }] : steps } },
    };
  };

  const routes = nodes.filter(({ trigger }) => trigger !== undefined).map((node) => route(node, node.trigger as { uri: string }));
  const created = new Set<string>();
  for (let pending = [...shared, ...branchTargets]; pending.length > 0; pending = [...branchTargets].filter((id) => !created.has(id) && !shared.has(id))) {
    for (const id of pending) {
      if (created.has(id)) continue;
      created.add(id);
      routes.push(route(byId.get(id) as GraphNode, { uri: `direct:${names.get(id)}` }));
    }
  }
  return routes;
}

/** Nodes that are part of a cycle. */
function nodesInCycles(nodes: readonly GraphNode[], byId: ReadonlyMap<string, GraphNode>): ReadonlySet<string> {
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (id: string, path: ReadonlySet<string>): void => {
    if (path.has(id)) found.add(id);
    if (path.has(id) || done.has(id)) return;
    for (const next of byId.get(id)?.outputs.flat() ?? []) visit(next, new Set([...path, id]));
    done.add(id);
  };
  for (const { id } of nodes) visit(id, new Set());
  return found;
}

function uniqueNames(nodes: readonly GraphNode[]): ReadonlyMap<string, string> {
  const usedNames = new Set<string>();
  return new Map(
    nodes.map(({ id, name }) => {
      const unique = slug(name, (other) => usedNames.has(other));
      usedNames.add(unique);
      return [id, unique];
    }),
  );
}
