// Calls HTTP servers, for `http:` and `rest:`. All endpoints of the runtime share one connection pool per origin.
import { defineConnector, type Connector, type ConnectorDeclaration, type Endpoint, type Sink } from "@sluice/engine/spi";
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
    connect: (): Connector<HttpOptions> => {
      const agents = new CallAgents(settings.connectionsPerOrigin ?? 100);
      return { sink: (endpoint) => httpSink(endpoint, agents, settings.egress ?? {}) };
    },
  });
}

/** The sinks of an endpoint of another connector that makes HTTP calls to a fixed host with a fixed method. */
export type HttpCalls = (endpoint: Pick<Endpoint, "uri" | "trusted" | "authored">, address: URL, method: string, parts: CallParts) => Sink;

export function httpCalls(settings: HttpSettings = {}): HttpCalls {
  let agents: CallAgents | undefined;
  return (endpoint, address, method, parts) => {
    agents ??= new CallAgents(settings.connectionsPerOrigin ?? 100);
    const bound = bindEndpoint({ uri: address.href, parameters: { httpMethod: method, bridgeEndpoint: "true" } }, httpShape);
    const call = { ...endpoint, scheme: address.protocol.slice(0, -1), path: bound.path, options: bound.values as HttpOptions, extra: {} };
    return httpSink(call, agents, settings.egress ?? {}, parts);
  };
}
