// The connections of a runtime: those defined by name, and those defined inline by endpoints.
import { bindFields, type ConnectionLookup, type Connections } from "@sluice/engine";
import { CompileError, type ClientNeed, type Connection, type ConnectionDeclaration, type Host } from "@sluice/engine/spi";
import { describe, type Fields } from "@sluice/model";
import type { SecretValues } from "../masking/secret-values.ts";
import type { ConnectionTypes } from "./connection-types.ts";
import { findConnection } from "./find-connection.ts";
import { SharedConnection, type ConnectionMetrics } from "./shared-connection.ts";

/** Maximum number of unused inline connections. */
const maxUnusedInline = 1000;

export interface ConnectionsParts {
  readonly types: ConnectionTypes;
  readonly secrets: SecretValues;
  /** A function because the host itself contains the connections. */
  host(): Host;
  load<T>(need: ClientNeed): Promise<T>;
  /** Replaces undefined connections where none is opened; otherwise a missing connection is an error. */
  absent?<C>(id: string): Connection<C>;
  /** Where none is opened: connections that are defined elsewhere, the loaded type by id. */
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
  /** Checks the named connections now; their state changes when a check fails. */
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
  let count = 0;

  const make = (id: string, declaration: ConnectionDeclaration, values: Readonly<Record<string, unknown>>): SharedConnection => {
    parts.secrets.set(`connection ${id}`, secretsOf(declaration.fields as Fields, values));
    return new SharedConnection(values, { id, declaration, host: parts.host(), load: parts.load });
  };

  for (const [id, type] of parts.known ?? []) named.set(id, make(id, types.loaded.get(type) as ConnectionDeclaration, {}));

  /** Values may come from messages, so unused connections are removed when there are many. */
  const addInline = (key: string, declaration: ConnectionDeclaration, values: Readonly<Record<string, unknown>>): SharedConnection => {
    if (inline.size >= maxUnusedInline)
      for (const [other, { id, metrics }] of inline) {
        if (metrics.users > 0) continue;
        inline.delete(other);
        parts.secrets.set(`connection ${id}`, []);
      }
    const made = make(`${declaration.type}-${++count}`, declaration, values);
    inline.set(key, made);
    return made;
  };

  const inlineConnection = (declaration: ConnectionDeclaration, given: Readonly<Record<string, unknown>>): SharedConnection => {
    const values = bindFields(declaration.fields as Fields, given, `connection type '${declaration.type}'`);
    const key = `${declaration.type} ${JSON.stringify(Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1)))}`;
    return inline.get(key) ?? addInline(key, declaration, values);
  };

  return {
    find: <C>(lookup: ConnectionLookup): Connection<C> =>
      findConnection<C>(lookup, { types, named, described: inlineConnection, ...(parts.absent === undefined ? {} : { absent: parts.absent }) }),
    hasClass: (name) => types.ofClass(name) !== undefined,
    async define(id, type, given, { force = false, secrets = [] } = {}) {
      const declaration = await types.load(type);
      if (declaration === undefined) throw new CompileError("connection-unknown-type", `unknown connection type '${type}'`);
      const values = bindFields(declaration.fields as Fields, given, `connection '${id}'`);
      const before = named.get(id);
      if (before === undefined || before.type !== type) {
        named.set(id, make(id, declaration, values));
        await before?.close();
      } else if (force) before.adopt(values);
      else await before.replace(values);
      parts.secrets.set(`connection ${id}`, [...secretsOf(declaration.fields as Fields, values), ...secrets]);
    },
    async undefine(id) {
      const removed = named.get(id);
      named.delete(id);
      parts.secrets.set(`connection ${id}`, []);
      await removed?.close();
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
