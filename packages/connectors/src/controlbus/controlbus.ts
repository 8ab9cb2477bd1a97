// Controls routes from a flow. The server decides what is allowed, through the interface it provides.
import {
  CompileError,
  defineConnector,
  FlowError,
  type Connector,
  type ConnectorDeclaration,
  type Endpoint,
  type Exchange,
  type Host,
  type Sink,
} from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

export type RouteAction = "start" | "stop" | "suspend" | "resume" | "restart" | "status" | "fail" | "stats";

/** Control over the routes of a runtime. */
export interface RouteControl {
  /**
   * Executes an action and returns the new status of the route; rejects with a FlowError for an unknown route. The new state survives a
   * restart of the runtime, unless it is temporary, as during a restart of the route.
   */
  act(routeId: string, action: RouteAction, isTemporary?: boolean): Promise<string>;
}

const path = { command: f.enum(["route"], { doc: "Type of the controlled object; only `route` is supported.", required: true }) };

const options = {
  ...sinkFields,
  routeId: f.string({ doc: "Id of the route; `current` is the route of this step.", required: true }),
  action: f.enum(["start", "stop", "suspend", "resume", "restart", "status", "fail", "stats"], {
    doc: "The action; `status` sets the body to the status of the route. `fail` and `stats` are not supported.",
    required: true,
  }),
  async: f.boolean({ doc: "Whether the message continues without waiting; a failure is logged.", default: false }),
  restartDelay: f.duration({ doc: "How long a restarted route stays stopped.", default: 1000 }),
  loggingLevel: f.enum(["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"], {
    doc: "Level at which actions are logged; `OFF` to log none. Failures are always logged as errors.",
    default: "INFO",
    group: "advanced",
  }),
};

type Options = Values<typeof path> & Values<typeof options>;

export function controlbusConnector(control: RouteControl): ConnectorDeclaration {
  return defineConnector({
    scheme: "controlbus",
    title: "Control bus",
    summary: "Starts, stops, suspends or resumes a route, or gets its status.",
    guarantees:
      "The step waits until the action is done, except with async=true or when the route controls itself. A stopped or suspended route keeps this state after a restart of the runtime and in new versions of the flow, until it is started or resumed.",
    group: "core",
    icon: "toggle-right",
    paletteGroup: "code",
    card: { subtitle: "{action} {routeId}" },
    since: "0.1",
    syntax: "controlbus:command",
    roles: ["sink"],
    local: true,
    path,
    options,
    headers: {},
    examples: [
      {
        title: "Get the status of a route",
        yaml: `to: {uri: "controlbus:route", parameters: {routeId: example, action: status}}`,
        expect: { body: "Started" },
      },
    ],
    connect: (host): Connector<Options> => ({ sink: (endpoint) => controlSink(endpoint, control, host) }),
  });
}

function controlSink({ options }: Endpoint<Options>, control: RouteControl, host: Host): Sink {
  const { action, routeId, restartDelay, loggingLevel } = options;
  if (action === "fail" || action === "stats")
    throw new CompileError("bad-option", `action=${action} is not supported`, { hint: "use start, stop, suspend, resume, restart or status" });

  const act = async (exchange: Exchange): Promise<string> => {
    const target = routeId === "current" ? exchange.run.route.id : routeId;
    if (loggingLevel !== "OFF") host.log.write(loggingLevel, "controlbus", `Action '${action}' on route '${target}'`, exchange);
    if (action !== "restart") return control.act(target, action);
    await control.act(target, "stop", true);
    await new Promise<void>((resolve) => host.clock.after(restartDelay, resolve));
    return control.act(target, "start");
  };

  return {
    send(exchange) {
      const isOwnRoute = routeId === "current" || routeId === exchange.run.route.id;
      // A route that waits for its own stop would deadlock: it stops after its runs end.
      if (!options.async && !(isOwnRoute && action !== "status"))
        return act(exchange).then((status) => (action === "status" ? void (exchange.message.body = status) : undefined));
      void act(exchange).catch((error: unknown) =>
        host.log.write("ERROR", "controlbus", `Action '${action}' on route '${routeId}' failed: ${error instanceof Error ? error.message : String(error)}`),
      );
      return undefined;
    },
  };
}

/** Rejects all actions: for tools that only need the declaration. */
export const noControl: RouteControl = {
  act: (routeId) =>
    Promise.reject(
      new FlowError("java.lang.UnsupportedOperationException", `flows are not allowed to control route '${routeId}' in this runtime`, {
        code: "control-refused",
      }),
    ),
};
