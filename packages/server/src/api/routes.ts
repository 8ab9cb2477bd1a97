import { toFlowError, type Route } from "@sluice/engine";
import { z } from "zod";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { changeErrors } from "./error-responses.ts";
import { routeStatus } from "./message-shapes.ts";
import type { FlowParts } from "../flows/installed-flows.ts";
import type { RouteStates } from "../flows/route-states.ts";
import { ServiceError } from "../service-error.ts";

const actions = {
  start: { summary: "Starts a stopped route", description: "Has no effect on a started route." },
  stop: { summary: "Stops a route", description: "Its in-flight runs are completed first. It stays stopped, even after a restart, until it is started." },
  suspend: { summary: "Suspends a route", description: "It accepts no messages, even after a restart, until it is resumed." },
  resume: { summary: "Resumes a suspended route", description: "Has no effect on a started route." },
} as const;

const stateShape = shape(
  () => ({
    id: z.string(),
    flowId: z.string(),
    status: routeStatus(),
    warnings: z.array(z.string()).optional().describe("Reasons why a restart would lose the state."),
  }),
  "RouteState",
);

/** Endpoints to control a route. */
export function routeEndpoints({ runtime, routeStates }: Pick<FlowParts, "runtime" | "routeStates">): readonly Endpoint[] {
  return (Object.keys(actions) as (keyof typeof actions)[]).map((action) =>
    defineEndpoint({
      method: "POST",
      path: `/routes/:id/${action}`,
      tag: "routes",
      ...actions[action],
      errors: ["not-found", "conflict", "flow-start-failed", ...changeErrors],
      replies: { 200: { description: "The new status of the route.", schema: stateShape } },
      async handle({ params }) {
        const route = runtime.routes.get(params["id"] as string);
        if (route === undefined) throw new ServiceError("not-found", `route '${(params["id"] as string).slice(0, 128)}' not found`);
        const warning = await act(routeStates, route, action);
        return ok({ id: route.identity.id, flowId: route.identity.flowId, status: route.status, ...(warning === undefined ? {} : { warnings: [warning] }) });
      },
    }),
  );
}

async function act(states: RouteStates, route: Route, action: keyof typeof actions): Promise<string | undefined> {
  try {
    return await states.act(route, action);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("flow-start-failed", `route '${route.identity.id}' failed to ${action}: ${toFlowError(error).message}`);
  }
}
