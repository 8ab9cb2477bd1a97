// Calls HTTP servers. All endpoints of the runtime share one connection pool per origin.
import { defineConnector, type Connector, type ConnectorDeclaration } from "@sluice/engine/spi";
import { CallAgents } from "./call-agents.ts";
import type { EgressPolicy } from "./egress.ts";
import { httpShape, type HttpOptions } from "./http-shape.ts";
import { httpSink } from "./http-sink.ts";

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
