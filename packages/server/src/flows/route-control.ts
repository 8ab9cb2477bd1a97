import type { RouteControl } from "@sluice/connectors";
import { FlowError, type Runtime } from "@sluice/engine";

/** Controls routes for `controlbus:`; the same actions as in the API. */
export function routeControl(runtime: () => Runtime): RouteControl {
  return {
    async act(routeId, action) {
      const route = runtime().routes.get(routeId);
      if (route === undefined) throw new FlowError("java.lang.IllegalArgumentException", `route '${routeId}' not found`, { code: "route-unknown" });
      if (action === "start") await route.start();
      else if (action === "stop") await route.stop();
      else if (action === "suspend") await route.suspend();
      else if (action === "resume") await route.resume();
      return route.status;
    },
  };
}
