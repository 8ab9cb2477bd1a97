// Connections that are never opened, for file checks and trials.
import { loadClient } from "@sluice/connectors";
import { FlowError, type Connection, type Host } from "@sluice/engine/spi";
import { createSecretValues } from "../masking/secret-values.ts";
import type { ConnectionTypes } from "./connection-types.ts";
import { openConnections, type OpenConnections } from "./open-connections.ts";

export interface ClosedOptions {
  /** Connections of the project: the type by id. The types must be loaded. */
  readonly known?: ReadonlyMap<string, string>;
  /** True makes a reference to an undefined connection an error; otherwise it counts as defined. */
  readonly isStrict?: boolean;
  /** Called when an undefined connection is referenced. */
  missing?(): void;
}

export function closedConnections(types: ConnectionTypes, host: () => Host, { known, isStrict = false, missing }: ClosedOptions = {}): OpenConnections {
  const absent = <C>(id: string): Connection<C> => {
    missing?.();
    return closed<C>(id);
  };
  const parts = { types, secrets: createSecretValues(), host, load: loadClient, ...(known === undefined ? {} : { known }) };
  const connections = openConnections(isStrict ? parts : { ...parts, absent });
  return { ...connections, find: <C>(lookup: Parameters<OpenConnections["find"]>[0]) => closed<C>(connections.find(lookup).id) };
}

function closed<C>(id: string): Connection<C> {
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
