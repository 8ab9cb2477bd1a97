// Which routes every worker runs, and which only the lead: a route is spread when nothing it uses is held by one process.
import type { Deployment, Route, Runtime } from "@sluice/engine";

export interface SpreadParts {
  readonly runtime: Runtime;
  /** True when requests of this flow's webhooks are counted in one place. */
  isCounted(flowId: string): boolean;
  /** True while messages of the route are captured. */
  isCaptured(routeId: string): boolean;
}

/** Variables of the runtime, as flows write them: they live in one process. */
const sharedVariable = /\b(?:global|route):[\w$]/;

/** The routes of each flow that followers run; flows with none are left out. */
export function spreadRoutes(parts: SpreadParts): ReadonlyMap<string, readonly string[]> {
  const { runtime } = parts;
  const free = new Set<Route>();
  const callers = new Set<Route>();
  for (const { id, flow, routes } of runtime.deployments.values()) {
    if (parts.isCounted(id) || sharedVariable.test(flow.source)) continue;
    for (const route of routes) {
      const { placement, status, identity } = route;
      if (placement.tiedBy.length > 0 || status !== "Started" || parts.isCaptured(identity.id)) continue;
      free.add(route);
      if (placement.calls.length > 0) callers.add(route);
    }
  }
  tieCallers(runtime, free, callers);
  const spread = new Map<string, readonly string[]>();
  for (const { id, routes } of runtime.deployments.values()) {
    const routeIds = routes.filter((route) => free.has(route)).map((route) => route.identity.id);
    if (routeIds.length > 0) spread.set(id, routeIds);
  }
  return spread;
}

/** Takes out whoever calls a route that is not free, until nobody does. */
function tieCallers(runtime: Runtime, free: Set<Route>, callers: Set<Route>): void {
  const calleeOf = (uri: string): Route | undefined => {
    const routeId = runtime.inletOf(uri)?.route.id;
    return routeId === undefined ? undefined : runtime.routes.get(routeId);
  };
  for (let found = true; found;) {
    found = false;
    for (const route of callers) {
      if (route.placement.calls.map(calleeOf).every((callee) => callee !== undefined && free.has(callee))) continue;
      callers.delete(route);
      free.delete(route);
      found = true;
    }
  }
}

/** The deployment with these of its routes only. */
export function partOf(deployment: Deployment, routeIds: readonly string[]): Deployment {
  return { ...deployment, routes: deployment.routes.filter((route) => routeIds.includes(route.identity.id)) };
}
