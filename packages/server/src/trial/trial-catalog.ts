// The catalog of a trial: sources do not fetch messages automatically.
import type { ConnectorDeclaration, UnloadedPart } from "@sluice/engine";
import type { ServerCatalog } from "../catalog.ts";

/** Routes start and can be invoked directly, but timers, polls and file watches do not fire. */
export function trialCatalog(catalog: ServerCatalog): ServerCatalog {
  const connectors = new Map<string, ConnectorDeclaration>();
  const idleConnectors = new Map<ConnectorDeclaration, ConnectorDeclaration>();
  const update = (): void => {
    for (const [scheme, connector] of catalog.connectors) {
      if (connectors.has(scheme)) continue;
      const trialConnector = idleConnectors.get(connector) ?? (isPassive(connector) ? connector : withIdleSources(connector));
      idleConnectors.set(connector, trialConnector);
      connectors.set(scheme, trialConnector);
    }
  };
  update();
  const { index } = catalog;
  const load = (parts: Iterable<UnloadedPart>): Promise<void> => index.load(parts).then(update);
  return { ...catalog, connectors, index: { ...index, load, loadAll: () => index.loadAll().then(update) } };
}

/** Its sources only receive messages from other routes or from the trial itself. */
const isPassive = ({ trigger }: ConnectorDeclaration): boolean => trigger === "route" || trigger === "request";

function withIdleSources(declaration: ConnectorDeclaration): ConnectorDeclaration {
  return {
    ...declaration,
    connect(host, shared) {
      const connector = declaration.connect(host, shared);
      const { source } = connector;
      if (source === undefined) return connector;
      return {
        ...(connector.sink === undefined ? {} : { sink: connector.sink.bind(connector) }),
        ...(connector.poller === undefined ? {} : { poller: connector.poller.bind(connector) }),
        source(endpoint, scope) {
          const { claims, exclusive } = source.call(connector, endpoint, scope);
          return { claims, exclusive, start: () => undefined, stop: () => undefined };
        },
      };
    },
  };
}
