import type { EndpointNode, RouteNode, StepNode } from "../flow/flow-document.ts";
import type { MapTree, Tree } from "../flow/tree.ts";
import { assignStepIds } from "./assign-ids.ts";
import { bindMap } from "./bind-map.ts";
import { kindOf } from "./bind-scalar.ts";
import type { Binding, Owner } from "./binding.ts";
import { checkErrorHandler } from "./bind-entity.ts";
import { fromFields, routeFields } from "./route-fields.ts";

const stepsOnly: ReadonlySet<string> = new Set(["steps"]);
const fromAndSteps: ReadonlySet<string> = new Set(["from", "steps"]);

/** Binds a route under `route`: options next to `from`. Undefined when it is not a mapping with a `from`. */
export function bindRouteTree(binding: Binding, tree: Tree, owner: Owner, routeId: string): RouteNode | undefined {
  startRoute(binding, routeId);
  if (tree.type !== "map") {
    binding.report("route-shape", `a route must be a mapping with 'from', got ${kindOf(tree)}`, owner);
    return undefined;
  }
  const label = `route '${routeId}'`;
  const options = bindMap(binding, tree, routeFields(binding.vocabulary), { ...owner, label }, { ignore: fromAndSteps });
  if (options["errorHandler"] !== undefined)
    checkErrorHandler(binding, entryOf(tree, "errorHandler"), { label, path: `${owner.path}.errorHandler`, span: owner.span });
  const misplaced = tree.entries.find((entry) => entry.key === "steps");
  if (misplaced !== undefined) {
    binding.report(
      "route-steps",
      `'steps' of ${label} is one level too high: move it under 'from'`,
      { path: `${owner.path}.steps`, span: misplaced.keySpan },
      "indent 'steps' to the same level as 'uri'",
    );
  }
  const from = tree.entries.find((entry) => entry.key === "from");
  if (from === undefined) {
    binding.report("route-no-from", `${label} has no 'from'`, owner, "add from: {uri: …, steps: […]}");
    return undefined;
  }
  return bindFrom(
    binding,
    from.value,
    { label: `'from' of ${label}`, path: `${owner.path}.from`, span: from.keySpan },
    routeId,
    options,
    misplaced !== undefined,
  );
}

/** Binds a route written as a bare `from`. */
export function bindBareFrom(binding: Binding, tree: Tree, owner: Owner, routeId: string): RouteNode | undefined {
  startRoute(binding, routeId);
  const options = bindMap(binding, { type: "map", entries: [], span: tree.span }, routeFields(binding.vocabulary), owner);
  return bindFrom(binding, tree, { ...owner, label: `'from' of route '${routeId}'` }, routeId, options);
}

function startRoute(binding: Binding, routeId: string): void {
  binding.scopeLabel = `route '${routeId}'`;
  binding.routeId = routeId;
  binding.drafts = [];
  binding.step = undefined;
}

/** `hasSteps`: misplaced steps were already reported, so they are not reported as missing too. */
function bindFrom(binding: Binding, tree: Tree, owner: Owner, routeId: string, options: Record<string, unknown>, hasSteps = false): RouteNode | undefined {
  if (tree.type !== "map") {
    const hint =
      tree.type === "scalar" && tree.text !== null ? `write from: {uri: "${tree.text.slice(0, 60)}", steps: […]}` : "write from: {uri: …, steps: […]}";
    binding.report("route-shape", `${owner.label} must be a mapping with 'uri' and 'steps', got ${kindOf(tree)}`, owner, hint);
    return undefined;
  }
  const { uri, parameters, steps, ...fromOptions } = bindMap(binding, tree, fromFields, owner, hasSteps ? { ignore: stepsOnly } : {});
  assignStepIds(binding, typeof options["nodePrefixId"] === "string" ? options["nodePrefixId"] : "");
  const stepsTree = entryOf(tree, "steps");
  if (stepsTree !== undefined && ((stepsTree.type === "list" && stepsTree.items.length === 0) || (stepsTree.type === "scalar" && stepsTree.text === null))) {
    binding.report(
      "route-no-steps",
      `route '${routeId}' needs at least one step`,
      { path: `${owner.path}.steps`, span: stepsTree.span },
      "add a step, such as - log: …",
    );
  }
  const uriTree = entryOf(tree, "uri") ?? owner;
  const from: EndpointNode = {
    uri: typeof uri === "string" ? uri : "",
    parameters: (parameters ?? Object.create(null)) as Record<string, string>,
    span: uriTree.span,
  };
  const { id: _, ...routeOptions } = options;
  return { id: routeId, from, fromOptions, steps: (steps ?? []) as readonly StepNode[], options: routeOptions, span: owner.span };
}

function entryOf(map: MapTree, key: string): Tree | undefined {
  return map.entries.find((entry) => entry.key === key)?.value;
}
