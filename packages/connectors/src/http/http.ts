// Calls HTTP servers, for `http:` and `rest:`.
import { defineConnector, type Connector, type ConnectorDeclaration, type Endpoint, type SharedState, type Sink } from "@sluice/engine/spi";
import { bindEndpoint } from "@sluice/model";
import { CallAgents } from "./call-agents.ts";
import type { EgressPolicy } from "./egress.ts";
import { httpShape, type HttpOptions } from "./http-shape.ts";
import { httpSink, type CallParts } from "./http-sink.ts";

/** Settings that only an operator may change. */
export interface HttpSettings {
  readonly egress?: EgressPolicy;
  /** Maximum connections per origin; further calls wait for a free one. */
  readonly connectionsPerOrigin?: number;
}

export function httpConnector(settings: HttpSettings = {}): ConnectorDeclaration {
  return defineConnector({
    ...httpShape,
    connect(_host, shared): Connector<HttpOptions> {
      const agents = sharedAgents(shared, settings);
      return { sink: (endpoint) => httpSink(endpoint, agents, settings.egress ?? {}) };
    },
  });
}

/** The connection pools of a runtime. Its connectors share them, so that the limit per origin applies to all of them together. */
export function sharedAgents(shared: SharedState, { connectionsPerOrigin = 100 }: HttpSettings = {}): CallAgents {
  return shared.of("http agents", () => new CallAgents(connectionsPerOrigin));
}

/** Creates the sink of another connector's endpoint, which makes HTTP calls to a fixed host with a fixed method. */
export type HttpCalls = (endpoint: Pick<Endpoint, "uri" | "trusted" | "authored">, address: URL, method: string, parts: CallParts) => Sink;

export const httpCalls =
  (settings: HttpSettings = {}) =>
  (shared: SharedState): HttpCalls =>
  (endpoint, address, method, parts) => {
    const bound = bindEndpoint({ uri: address.href, parameters: { httpMethod: method, bridgeEndpoint: "true" } }, httpShape);
    const call = { ...endpoint, scheme: address.protocol.slice(0, -1), path: bound.path, options: bound.values as HttpOptions, extra: {} };
    return httpSink(call, sharedAgents(shared, settings), settings.egress ?? {}, parts);
  };
