// The connections of a runtime: those defined by name, and those defined inline by endpoints.
import { bindFields, type ConnectionLookup, type Connections } from "@sluice/engine";
import { CompileError, type ClientPackage, type Connection, type ConnectionDeclaration, type Host } from "@sluice/engine/spi";
import { describe, type Fields } from "@sluice/model";
import type { SecretValues } from "../masking/secret-values.ts";
import type { ConnectionTypes } from "./connection-types.ts";
import { findConnection } from "./find-connection.ts";
import { SharedConnection, type ConnectionMetrics } from "./shared-connection.ts";

/** Unused inline connections are removed when there are this many inline connections. */
const inlineCleanupThreshold = 1000;

export interface ConnectionsParts {
  readonly types: ConnectionTypes;
  readonly secrets: SecretValues;
  /** A function, because the host refers to the connections. */
  host(): Host;
  load<T>(clientPackage: ClientPackage): Promise<T>;
  /** Replaces missing connections in checks and tests, which open none; without it, a missing connection is an error. */
  placeholder?<C>(id: string): Connection<C>;
  /** For file checks: the type of each connection in the project, by connection id. The types must be loaded. */
  readonly known?: ReadonlyMap<string, string>;
}

interface DefineOptions {
  /** Apply the values even if connecting with them fails. */
  readonly force?: boolean;
  /** Secrets in addition to the values of secret fields. */
  readonly secrets?: readonly string[];
}

export interface OpenConnections extends Connections {
  /** Defines or replaces a connection. Users of the previous one switch when the new client is connected. */
  define(id: string, type: string, values: Readonly<Record<string, unknown>>, options?: DefineOptions): Promise<void>;
  /** Closes and removes the connection. */
  undefine(id: string): Promise<void>;
  list(): readonly ConnectionMetrics[];
  /** Checks the open named connections before their next check is due, except those checked within the last few seconds. */
  checkSoon(): void;
  /** The connections defined by name. */
  named(): readonly ConnectionMetrics[];
  close(): Promise<void>;
}

export function openConnections(parts: ConnectionsParts): OpenConnections {
  const { types } = parts;
  const named = new Map<string, SharedConnection>();
  /** By type and values. */
  const inline = new Map<string, SharedConnection>();
  /** Running flows may still have handles of these, which work again when the connection is defined again. */
  const removed = new Map<string, SharedConnection>();
  let count = 0;

  const create = (id: string, declaration: ConnectionDeclaration, values: Readonly<Record<string, unknown>>): SharedConnection => {
    parts.secrets.set(`connection ${id}`, secretsOf(declaration.fields as Fields, values));
    return new SharedConnection({ declaration, values }, { id, host: parts.host(), load: parts.load });
  };

  for (const [id, type] of parts.known ?? []) named.set(id, create(id, types.loaded.get(type) as ConnectionDeclaration, {}));

  /** A dynamic endpoint can define a new connection with each message, so unused ones are removed when there are many. */
  const addInline = (key: string, declaration: ConnectionDeclaration, values: Readonly<Record<string, unknown>>): SharedConnection => {
    if (inline.size >= inlineCleanupThreshold)
      for (const [other, { id, metrics }] of inline) {
        if (metrics.users > 0) continue;
        inline.delete(other);
        parts.secrets.set(`connection ${id}`, []);
      }
    const connection = create(`${declaration.type}-${++count}`, declaration, values);
    inline.set(key, connection);
    return connection;
  };

  const inlineConnection = (declaration: ConnectionDeclaration, input: Readonly<Record<string, unknown>>): SharedConnection => {
    const values = bindFields(declaration.fields as Fields, input, `connection type '${declaration.type}'`);
    const key = `${declaration.type} ${JSON.stringify(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;
    return inline.get(key) ?? addInline(key, declaration, values);
  };

  return {
    find: <C>(lookup: ConnectionLookup): Connection<C> =>
      findConnection<C>(lookup, { types, named, inlineConnection, ...(parts.placeholder === undefined ? {} : { placeholder: parts.placeholder }) }),
    hasClass: (name) => types.ofClass(name) !== undefined,
    async define(id, type, input, { force = false, secrets = [] } = {}) {
      const declaration = await types.load(type);
      if (declaration === undefined) throw new CompileError("connection-unknown-type", `unknown connection type '${type}'`);
      const values = bindFields(declaration.fields as Fields, input, `connection '${id}'`);
      const known = [...secretsOf(declaration.fields as Fields, values), ...secrets];
      const existing = named.get(id) ?? removed.get(id);
      if (existing === undefined) named.set(id, create(id, declaration, values));
      else {
        // Masks the new secrets while connecting. If that fails, the old ones are still in use.
        parts.secrets.set(`next connection ${id}`, known);
        try {
          if (force) existing.adopt({ declaration, values });
          else await existing.replace({ declaration, values });
        } finally {
          parts.secrets.set(`next connection ${id}`, []);
        }
        removed.delete(id);
        named.set(id, existing);
      }
      parts.secrets.set(`connection ${id}`, known);
    },
    async undefine(id) {
      const connection = named.get(id);
      if (connection === undefined) return;
      named.delete(id);
      removed.set(id, connection);
      await connection.remove();
      if (!named.has(id)) parts.secrets.set(`connection ${id}`, []);
    },
    named: () => [...named.values()].map(({ metrics }) => metrics),
    checkSoon() {
      for (const connection of named.values()) connection.checkSoon();
    },
    list: () => [...named.values(), ...inline.values()].map(({ metrics }) => metrics),
    close: async () => void (await Promise.all([...named.values(), ...inline.values()].map((connection) => connection.close()))),
  };
}

/** The values of fields that are declared secret, including nested ones (`tls.key`). */
function secretsOf(fields: Fields, values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = values[name];
    const { spec, fields: inner } = describe(field);
    if (typeof value === "string") return spec.secret === true ? [value] : [];
    return inner === undefined || typeof value !== "object" || value === null ? [] : secretsOf(inner, value as Readonly<Record<string, unknown>>);
  });
}
