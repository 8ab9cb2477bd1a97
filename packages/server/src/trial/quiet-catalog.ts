// The catalogue of a trial: the same words, but nothing reaches out for messages by itself.
import type { Catalog, ConnectorDeclaration } from "@sluice/engine";

/** Schemes whose sources only take what is handed to them inside the process, or what the trial itself sends. */
const harmless = new Set(["direct", "seda", "queue", "webhook", "platform-http"]);

/** Routes still start, and can be called past their trigger; their timers, polls and files rest. */
export function quietCatalog(catalog: Catalog): Catalog {
  return {
    ...catalog,
    connectors: new Map([...catalog.connectors].map(([scheme, connector]) => [scheme, harmless.has(scheme) ? connector : resting(connector)])),
  };
}

function resting(declaration: ConnectorDeclaration): ConnectorDeclaration {
  return {
    ...declaration,
    connect(host) {
      const connector = declaration.connect(host);
      const { source } = connector;
      if (source === undefined) return connector;
      return {
        ...(connector.sink === undefined ? {} : { sink: connector.sink.bind(connector) }),
        ...(connector.poller === undefined ? {} : { poller: connector.poller.bind(connector) }),
        source(endpoint, route) {
          const { claims, exclusive } = source.call(connector, endpoint, route);
          return { claims, exclusive, start: () => undefined, stop: () => undefined };
        },
      };
    },
  };
}
