// Connectors and connections that only the runtime has: the page gets their names from the catalog and simulates them.
import type { Connection, ConnectorDeclaration, Host } from "@sluice/engine";
import { f, type CatalogView, type ConnectorRole } from "@sluice/model";

export interface RuntimeConnectors {
  readonly connectors: readonly { readonly scheme: string; readonly aliases: readonly string[]; readonly roles: readonly ConnectorRole[] }[];
  /** Camel classes that describe connections. */
  readonly classes: readonly string[];
}

/** The part of the catalog that a simulation needs, small enough to send with every request. */
export const runtimeConnectorsOf = (view: Pick<CatalogView, "connectors" | "connections"> | undefined): RuntimeConnectors => ({
  connectors: (view?.connectors ?? []).map(({ scheme, aliases, roles }) => ({ scheme, aliases, roles })),
  // A catalog of an older runtime, or one cached by the browser, may have no connections.
  classes: (view?.connections ?? []).flatMap(({ beans }) => beans),
});

/** Declarations that accept any option: the runtime validates them. */
export function placeholderConnectors(
  { connectors }: RuntimeConnectors,
  isKnown: (scheme: string) => boolean,
): readonly Omit<ConnectorDeclaration, "connect">[] {
  return connectors
    .filter(({ scheme }) => !isKnown(scheme))
    .map(({ scheme, aliases, roles }) => ({
      scheme,
      aliases,
      roles,
      title: scheme,
      summary: "A connector of the runtime.",
      group: "other",
      since: "0.1",
      syntax: `${scheme}:address`,
      path: { address: f.string({ doc: "The address of the endpoint.", default: "" }) },
      options: {},
      headers: {},
      lenient: true,
      examples: [],
    }));
}

/** The connections of a simulation, which never connect to a server. */
export function unavailableConnections({ classes }: RuntimeConnectors): NonNullable<Host["connections"]> {
  const ignore = (): void => undefined;
  return {
    hasClass: (name) => classes.includes(name),
    find: <C>({ reference }: { readonly reference: string | undefined }): Connection<C> => ({
      id: reference ?? "default",
      client: () => Promise.reject(new Error("connections are not available in a simulation")),
      invalidate: ignore,
      watch: () => ignore,
      release: ignore,
    }),
  };
}
