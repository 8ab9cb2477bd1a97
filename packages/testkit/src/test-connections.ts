// Connections for connector tests: opened on first use, closed by the test. How a runtime shares, replaces and restores them is tested with the
// runtime.
import { bindFields, type ConnectionLookup, type Connections } from "@sluice/engine";
import { CompileError, type ClientPackage, type Connection, type ConnectionDeclaration, type ConnectionState, type Host } from "@sluice/engine/spi";
import type { Fields } from "@sluice/model";

export interface TestConnection {
  readonly declaration: ConnectionDeclaration;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface TestConnections extends Omit<Connections, "find"> {
  find<C>(lookup: Pick<ConnectionLookup, "reference" | "kinds">): Connection<C>;
  close(): Promise<void>;
}

/** The connections of a host, by id; `load` imports the clients. */
export function testConnections(
  host: Host,
  byId: Readonly<Record<string, TestConnection>>,
  load: (clientPackage: ClientPackage) => Promise<unknown>,
): TestConnections {
  const clients = new Map<string, Promise<unknown>>();
  const watchers = new Set<(id: string, state: ConnectionState) => void>();
  const disconnect = (id: string, problem: string): void => {
    if (!clients.delete(id)) return;
    for (const watcher of watchers) watcher(id, { state: "down", since: host.clock.now(), problem, generation: 0 });
  };
  const open = (id: string, { declaration, values }: TestConnection): Promise<unknown> => {
    const bound = bindFields(declaration.fields as Fields, values, `connection '${id}'`);
    const context = {
      host,
      signal: new AbortController().signal,
      load: <T>(clientPackage: ClientPackage) => load(clientPackage) as Promise<T>,
      disconnected: (problem: string) => disconnect(id, problem),
    };
    const client = declaration.open(bound as never, context);
    client.catch(() => clients.delete(id));
    clients.set(id, client);
    return client;
  };
  return {
    find<C>({ reference, kinds }: Pick<ConnectionLookup, "reference" | "kinds">): Connection<C> {
      const id = reference ?? Object.keys(byId).find((name) => byId[name]?.declaration.kinds.some((kind) => kinds.includes(kind)) === true) ?? "";
      const found = byId[id];
      if (found === undefined) throw new CompileError("connection-missing", `unknown connection '${id}'`);
      return {
        id,
        client: () => (clients.get(id) ?? open(id, found)) as Promise<C>,
        invalidate: (_client, problem) => disconnect(id, problem),
        watch: (listener) => {
          const watcher = (changedId: string, state: ConnectionState): void => void (changedId === id && listener(state));
          watchers.add(watcher);
          return () => watchers.delete(watcher);
        },
        release: () => undefined,
      };
    },
    hasClass: () => false,
    async close() {
      for (const [id, client] of clients) await client.then((opened) => byId[id]?.declaration.close(opened)).catch(() => undefined);
      clients.clear();
    },
  };
}
