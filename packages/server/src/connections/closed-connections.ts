// Connections that are never opened, for file checks and trials.
import { loadClient } from "@sluice/connectors";
import { FlowError, type Connection, type Host } from "@sluice/engine/spi";
import { createSecretValues } from "../masking/secret-values.ts";
import type { ConnectionTypes } from "./connection-types.ts";
import { openConnections, type OpenConnections } from "./open-connections.ts";

export interface ClosedOptions {
  /** Connections of the project: the type by id. The types must be loaded. */
  readonly known?: ReadonlyMap<string, string>;
  /** If true, a reference to an undefined connection is an error; otherwise it is accepted. */
  readonly isStrict?: boolean;
  /** Called when an undefined connection is referenced. */
  missing?(): void;
}

export function closedConnections(types: ConnectionTypes, host: () => Host, { known, isStrict = false, missing }: ClosedOptions = {}): OpenConnections {
  const placeholder = <C>(id: string): Connection<C> => {
    missing?.();
    return closedConnection<C>(id);
  };
  const parts = { types, secrets: createSecretValues(), host, load: loadClient, ...(known === undefined ? {} : { known }) };
  const connections = openConnections(isStrict ? parts : { ...parts, placeholder });
  return { ...connections, find: <C>(lookup: Parameters<OpenConnections["find"]>[0]) => closedConnection<C>(connections.find(lookup).id) };
}

function closedConnection<C>(id: string): Connection<C> {
  const ignore = (): void => undefined;
  return {
    id,
    client: () =>
      Promise.reject(
        new FlowError("org.apache.camel.RuntimeCamelException", `connection '${id}' is not available in a test: mock the endpoint that uses it`, {
          code: "connection-closed",
        }),
      ),
    invalidate: ignore,
    watch: () => ignore,
    release: ignore,
  };
}
