// Calls a web server. One connection pool per origin is shared by every endpoint of the runtime.
import { defineConnector, type Connector, type ConnectorDeclaration } from "@sluice/engine/spi";
import { CallAgents } from "./call-agents.ts";
import type { EgressPolicy } from "./egress.ts";
import { httpShape, type HttpOptions } from "./http-shape.ts";
import { httpSink } from "./http-sink.ts";

/** What only an operator may decide. */
export interface HttpSettings {
  readonly egress?: EgressPolicy;
  /** Connections to one origin at the same time; more calls wait for one. */
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
