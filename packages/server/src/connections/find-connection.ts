// Finds the connection of an endpoint; the first match is used. With a reference: a bean of the flow, a named connection, a bean in
// application.properties. Without a reference: the values in the endpoint, the values in application.properties, the flow's only bean of
// the kind, the only connection of the kind.
import type { ConnectionBean, ConnectionLookup } from "@sluice/engine";
import { CompileError, type BeanForm, type Connection, type ConnectionDeclaration } from "@sluice/engine/spi";
import type { Fields } from "@sluice/model";
import type { ConnectionDetails, ConnectionTypes } from "./connection-types.ts";
import type { SharedConnection } from "./shared-connection.ts";

type Values = Readonly<Record<string, unknown>>;

export interface FindParts {
  readonly types: ConnectionTypes;
  readonly named: ReadonlyMap<string, SharedConnection>;
  /** The connection with these values; equal values share one connection. */
  inlineConnection(declaration: ConnectionDeclaration, values: Values): SharedConnection;
  /** Replaces missing connections in checks and tests, which open none; without it, a missing connection is an error. */
  placeholder?<C>(id: string): Connection<C>;
}

/** Message fragments used to find flows that failed because of a missing connection. */
export const missingConnection = (id: string): string => `uses the connection '${id}', which does not exist`;
export const noConnectionOfKind = "does not reference a connection, and no connection of kind";

export function findConnection<C>(lookup: ConnectionLookup, parts: FindParts): Connection<C> {
  const { reference, flowBean, propertyBean } = lookup;
  if (flowBean !== undefined) return ofBean<C>(flowBean, lookup, parts);
  if (reference === undefined) return unnamed<C>(lookup, parts);
  const connection = parts.named.get(reference);
  if (connection === undefined)
    return propertyBean === undefined ? missing<C>(`'${lookup.user}' ${missingConnection(reference)}`, lookup, parts) : ofBean<C>(propertyBean, lookup, parts);
  if (!serves(parts.types.loaded.get(connection.type), lookup))
    throw new CompileError("connection-wrong-kind", `connection '${reference}' is of type '${connection.type}', which '${lookup.user}' cannot use`, {
      hint: `use a connection of type ${typeNames(lookup, parts)}`,
    });
  parts.types.usable(connection.type, `connection '${reference}'`);
  return connection.share<C>(lookup.kinds);
}

function unnamed<C>(lookup: ConnectionLookup, parts: FindParts): Connection<C> {
  const { types, named, inlineConnection } = parts;
  const { inline, component, user } = lookup;
  const type = lookup.type ?? types.details().find((details) => serves(details, lookup))?.type;
  if (type !== undefined && Object.keys(inline).length > 0) return inlineConnection(types.usable(type, user), inline).share<C>(lookup.kinds);
  if (type !== undefined && Object.keys(component).length > 0) {
    const declaration = types.usable(type, user);
    const values = Object.entries(component).filter(([name]) => Object.hasOwn(declaration.fields as Fields, name));
    if (values.length > 0) return inlineConnection(declaration, Object.fromEntries(values)).share<C>(lookup.kinds);
  }
  const beans = [...lookup.flowBeans()].filter(([, bean]) => serves(types.ofClass(bean.type), lookup));
  if (beans.length > 1) {
    const names = beans.map(([name]) => name).toSorted();
    return missing<C>(`'${user}' does not reference a connection, and the flow has several matching beans (${names.join(", ")})`, lookup, parts);
  }
  if (beans[0] !== undefined) return ofBean<C>(beans[0][1], lookup, parts);
  const usable = [...named.values()].filter(({ type: namedType }) => serves(types.loaded.get(namedType), lookup));
  const [only] = usable;
  if (only === undefined) return missing<C>(`'${user}' ${noConnectionOfKind} ${lookup.kinds.join(" or ")} exists`, lookup, parts);
  if (usable.length > 1)
    return missing<C>(`'${user}' does not reference a connection, and there are several of kind ${lookup.kinds.join(" or ")}`, lookup, parts);
  types.usable(only.type, `connection '${only.id}'`);
  return only.share<C>(lookup.kinds);
}

function ofBean<C>({ type: className, properties }: ConnectionBean, lookup: ConnectionLookup, { types, inlineConnection }: FindParts): Connection<C> {
  const details = types.ofClass(className);
  const name = lookup.reference ?? className;
  if (details === undefined || !serves(details, lookup))
    throw new CompileError("connection-wrong-kind", `bean '${name}' of class '${className}' does not describe a connection that '${lookup.user}' can use`, {
      hint: `classes that '${lookup.user}' can use: ${
        types
          .details()
          .flatMap((candidate) => (serves(candidate, lookup) ? candidate.beans : []))
          .join(", ") || "none"
      }`,
    });
  const declaration = types.usable(details.type, `bean '${name}'`);
  const form = (declaration.beans as readonly BeanForm[]).find(({ names }) => names.includes(className)) as BeanForm;
  return inlineConnection(declaration, form.fields(properties, className)).share<C>(lookup.kinds);
}

/** Returns a placeholder; if there is none, throws an error that lists the ways to provide a connection. */
function missing<C>(problem: string, lookup: ConnectionLookup, parts: FindParts): Connection<C> {
  const { reference = "default", kinds, user } = lookup;
  if (parts.placeholder !== undefined) return parts.placeholder<C>(reference);
  const usableIds = [...parts.named.values()].filter(({ type }) => serves(parts.types.loaded.get(type), lookup)).map((connection) => connection.id);
  const id = lookup.reference ?? kinds[0] ?? "name";
  const ways = [
    ...(usableIds.length === 0 ? [] : [`use an existing connection (${usableIds.toSorted().join(", ")})`]),
    `PUT /_api/connections/${id} with a type of ${typeNames(lookup, parts)}`,
    `define a bean '${id}' in the flow or as camel.beans.${id} in application.properties`,
    `set its values as options of the endpoint or as camel.component.${user}.* in application.properties`,
  ];
  throw new CompileError("connection-missing", problem, { hint: ways.join("; or "), ...(lookup.reference === undefined ? {} : { value: lookup.reference }) });
}

const serves = (details: Pick<ConnectionDetails, "kinds"> | undefined, { kinds }: ConnectionLookup): boolean =>
  details?.kinds.some((kind) => kinds.includes(kind)) === true;

const typeNames = (lookup: ConnectionLookup, { types }: FindParts): string =>
  types
    .details()
    .flatMap((details) => (serves(details, lookup) ? [details.type] : []))
    .join(", ");
