// The two ends of a flow under test: `direct:` delivers messages to a route, `mock:` records the messages sent to it.
import { defineConnector, type ConnectorDeclaration, type Exchange, type RouteInput } from "@sluice/engine/spi";
import { f } from "@sluice/model";

const metadata = { group: "testing", since: "0.1", headers: {}, examples: [] } as const;

/** A message that reached a `mock:` endpoint. */
export interface Received {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly properties: ReadonlyMap<string, unknown>;
}

export interface Recording {
  readonly received: Map<string, Received[]>;
  readonly routeInputs: Map<string, RouteInput>;
  readonly connectors: readonly ConnectorDeclaration[];
}

/** `direct` and `mock` without a real connector package: enough to run any steps. */
export function recordingConnectors(): Recording {
  const received = new Map<string, Received[]>();
  const routeInputs = new Map<string, RouteInput>();
  const name = { name: f.string({ doc: "Name.", required: true }) } as const;
  const direct = defineConnector({
    ...metadata,
    scheme: "direct",
    title: "Direct",
    summary: "Calls a route.",
    syntax: "direct:name",
    roles: ["source", "sink"],
    trigger: "route",
    path: name,
    options: {},
    connect: () => ({
      source: (endpoint) => ({
        claims: [`direct:${endpoint.options.name}`],
        exclusive: false,
        start: (routeInput) => void routeInputs.set(endpoint.options.name, routeInput),
        stop: () => void routeInputs.delete(endpoint.options.name),
      }),
      sink: (endpoint) => ({
        send: (exchange) => {
          const routeInput = routeInputs.get(endpoint.options.name);
          if (routeInput === undefined) throw new Error(`no route consumes direct:${endpoint.options.name}`);
          return routeInput.enter(exchange, { uri: endpoint.uri });
        },
      }),
    }),
  });
  const mock = defineConnector({
    ...metadata,
    scheme: "mock",
    title: "Mock",
    summary: "Records the messages sent to it.",
    syntax: "mock:name",
    roles: ["sink"],
    path: name,
    options: {},
    connect: () => ({ sink: (endpoint) => ({ send: (exchange) => record(endpoint.options.name, exchange) }) }),
  });
  const record = (mockName: string, exchange: Exchange): void => {
    const list = received.get(mockName) ?? [];
    list.push({ body: exchange.message.body, headers: exchange.message.headers.toObject(), properties: new Map(exchange.properties) });
    received.set(mockName, list);
  };
  return { received, routeInputs, connectors: [direct, mock] };
}
