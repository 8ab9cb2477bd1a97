import { toFlowError, type Route, type Runtime } from "@sluice/engine";
import { z } from "zod";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { routeStatus } from "./message-shapes.ts";
import { Refusal } from "../refusal.ts";

const actions = {
  start: "Starts a stopped route",
  stop: "Stops a route after its runs in flight have completed",
  suspend: "Stops accepting messages until resumed",
  resume: "Accepts messages again",
} as const;

const stateShape = shape(() => ({ id: z.string(), flowId: z.string(), status: routeStatus() }), "RouteState");

/** Endpoints to control a route. */
export function routeEndpoints(runtime: Runtime): readonly Endpoint[] {
  return (Object.keys(actions) as (keyof typeof actions)[]).map((action) =>
    defineEndpoint({
      method: "POST",
      path: `/routes/:id/${action}`,
      tag: "routes",
      summary: actions[action],
      replies: { 200: { description: "The new status of the route.", schema: stateShape } },
      async handle({ params }) {
        const route = runtime.routes.get(params["id"] as string);
        if (route === undefined) throw new Refusal("not-found", `route '${(params["id"] as string).slice(0, 128)}' not found`);
        await act(route, action);
        return ok({ id: route.identity.id, flowId: route.identity.flowId, status: route.status });
      },
    }),
  );
}

async function act(route: Route, action: keyof typeof actions): Promise<void> {
  try {
    await route[action]();
  } catch (error) {
    throw new Refusal("flow-start-failed", `route '${route.identity.id}' failed to ${action}: ${toFlowError(error).message}`);
  }
}
