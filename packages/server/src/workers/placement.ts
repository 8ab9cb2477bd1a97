// Decides which routes run on every worker and which only on the leader. A route runs everywhere if nothing it uses is tied to one process.
import type { Deployment, Route, Runtime } from "@sluice/engine";

export interface PlacementParts {
  readonly runtime: Runtime;
  /** True when the flow's policy has state that only one process can hold: a rate limit, or signatures that are valid once. */
  needsOneProcess(flowId: string): boolean;
  /** True while messages of the route are captured or may be held at a breakpoint. */
  isCaptured(routeId: string): boolean;
}

/** Global and route variables are tied to one process. */
const sharedVariable = /\b(?:global|route):[\w$]/;

/** The routes of each flow that followers run; flows without any are omitted. */
export function placeRoutes(parts: PlacementParts): ReadonlyMap<string, readonly string[]> {
  const { runtime } = parts;
  const untied = new Set<Route>();
  const callers = new Set<Route>();
  for (const { id, flow, routes, kamelets } of runtime.deployments.values()) {
    const texts = [flow.source, ...[...kamelets.values()].map(({ text }) => text)];
    if (parts.needsOneProcess(id) || texts.some((text) => sharedVariable.test(text))) continue;
    for (const route of routes) {
      const { placement, status, identity } = route;
      if (placement.tiedBy.length > 0 || status !== "Started" || parts.isCaptured(identity.id)) continue;
      untied.add(route);
      if (placement.calls.length > 0) callers.add(route);
    }
  }
  tieCallers(runtime, untied, callers);
  const placed = new Map<string, readonly string[]>();
  for (const { id, routes } of runtime.deployments.values()) {
    const routeIds = routes.filter((route) => untied.has(route)).map((route) => route.identity.id);
    if (routeIds.length > 0) placed.set(id, routeIds);
  }
  return placed;
}

/** Removes routes that call a route tied to the leader, transitively. */
function tieCallers(runtime: Runtime, untied: Set<Route>, callers: Set<Route>): void {
  const calleeOf = (uri: string): Route | undefined => {
    const routeId = runtime.routeInputOf(uri)?.route.id;
    return routeId === undefined ? undefined : runtime.routes.get(routeId);
  };
  for (let hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (const route of callers) {
      if (route.placement.calls.map(calleeOf).every((callee) => callee !== undefined && untied.has(callee))) continue;
      callers.delete(route);
      untied.delete(route);
      hasChanged = true;
    }
  }
}

/** The deployment reduced to these routes. */
export function selectRoutes(deployment: Deployment, routeIds: readonly string[]): Deployment {
  return { ...deployment, routes: deployment.routes.filter((route) => routeIds.includes(route.identity.id)) };
}
