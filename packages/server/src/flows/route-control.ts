import type { RouteControl } from "@sluice/connectors";
import { FlowError, type Log, type Runtime } from "@sluice/engine";
import type { RouteStates } from "./route-states.ts";

/** Controls routes for `controlbus:`; the same actions as in the API. */
export function routeControl(runtime: () => Runtime, states: RouteStates, log: Log): RouteControl {
  return {
    async act(routeId, action, isTemporary = false) {
      const route = runtime().routes.get(routeId);
      if (route === undefined) throw new FlowError("java.lang.IllegalArgumentException", `route '${routeId}' not found`, { code: "route-unknown" });
      if (action !== "start" && action !== "stop" && action !== "suspend" && action !== "resume") return route.status;
      if (isTemporary) await route[action]();
      else {
        const warning = await states.act(route, action);
        if (warning !== undefined) log.write("WARN", "controlbus", warning);
      }
      return route.status;
    },
  };
}
