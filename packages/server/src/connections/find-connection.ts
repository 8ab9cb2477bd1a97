// Finds the connection of an endpoint. With a reference: a bean of the flow, a named connection, a bean of application.properties.
// Without one: the values in the endpoint, those of application.properties, the only bean of the kind in the flow, the only
// connection of the kind.
import type { ConnectionBean, ConnectionLookup } from "@sluice/engine";
import { CompileError, type BeanForm, type Connection, type ConnectionDeclaration } from "@sluice/engine/spi";
import type { Fields } from "@sluice/model";
import type { ConnectionFacts, ConnectionTypes } from "./connection-types.ts";
import type { SharedConnection } from "./shared-connection.ts";

type Given = Readonly<Record<string, unknown>>;

export interface FindParts {
  readonly types: ConnectionTypes;
  readonly named: ReadonlyMap<string, SharedConnection>;
  /** The connection with these values; equal values share one. */
  described(declaration: ConnectionDeclaration, values: Given): SharedConnection;
  /** Replaces undefined connections where none is opened; otherwise a missing connection is an error. */
  absent?<C>(id: string): Connection<C>;
}

/** Message fragments used to find flows that failed because of a missing connection. */
export const missingConnection = (id: string): string => `uses the connection '${id}', which does not exist`;
export const noConnectionOfKind = "does not reference a connection, and no connection of kind";

export function findConnection<C>(lookup: ConnectionLookup, parts: FindParts): Connection<C> {
  const { reference, flowBean, propertyBean } = lookup;
  if (flowBean !== undefined) return ofBean<C>(flowBean, lookup, parts);
  if (reference === undefined) return unnamed<C>(lookup, parts);
  const found = parts.named.get(reference);
  if (found === undefined)
    return propertyBean === undefined ? missing<C>(`'${lookup.user}' ${missingConnection(reference)}`, lookup, parts) : ofBean<C>(propertyBean, lookup, parts);
  if (!serves(parts.types.loaded.get(found.type), lookup))
    throw new CompileError("connection-wrong-kind", `connection '${reference}' is of type '${found.type}', which '${lookup.user}' cannot use`, {
      hint: `use a connection of type ${typeNames(lookup, parts)}`,
    });
  parts.types.usable(found.type, `connection '${reference}'`);
  return found.share<C>();
}

function unnamed<C>(lookup: ConnectionLookup, parts: FindParts): Connection<C> {
  const { types, named, described } = parts;
  const { inline, component, user } = lookup;
  const type = lookup.type ?? types.facts().find((facts) => serves(facts, lookup))?.type;
  if (type !== undefined && Object.keys(inline).length > 0) return described(types.usable(type, user), inline).share<C>();
  if (type !== undefined && Object.keys(component).length > 0) {
    const declaration = types.usable(type, user);
    const values = Object.entries(component).filter(([name]) => Object.hasOwn(declaration.fields as Fields, name));
    if (values.length > 0) return described(declaration, Object.fromEntries(values)).share<C>();
  }
  const beans = [...lookup.flowBeans()].filter(([, bean]) => serves(types.ofClass(bean.type), lookup));
  if (beans.length > 1) {
    const names = beans.map(([name]) => name).toSorted();
    return missing<C>(`'${user}' does not reference a connection, and the flow has several beans it can use (${names.join(", ")})`, lookup, parts);
  }
  if (beans[0] !== undefined) return ofBean<C>(beans[0][1], lookup, parts);
  const usable = [...named.values()].filter((one) => serves(types.loaded.get(one.type), lookup));
  const [only] = usable;
  if (only === undefined) return missing<C>(`'${user}' ${noConnectionOfKind} ${lookup.kinds.join(" or ")} exists`, lookup, parts);
  if (usable.length > 1)
    return missing<C>(`'${user}' does not reference a connection, and there are several of kind ${lookup.kinds.join(" or ")}`, lookup, parts);
  types.usable(only.type, `connection '${only.id}'`);
  return only.share<C>();
}

function ofBean<C>({ type: className, properties }: ConnectionBean, lookup: ConnectionLookup, { types, described }: FindParts): Connection<C> {
  const facts = types.ofClass(className);
  const name = lookup.reference ?? className;
  if (facts === undefined || !serves(facts, lookup))
    throw new CompileError("connection-wrong-kind", `bean '${name}' of class '${className}' does not describe a connection that '${lookup.user}' can use`, {
      hint: `the classes it can use: ${
        types
          .facts()
          .flatMap((one) => (serves(one, lookup) ? one.beans : []))
          .join(", ") || "none"
      }`,
    });
  const declaration = types.usable(facts.type, `bean '${name}'`);
  const form = (declaration.beans as readonly BeanForm[]).find(({ names }) => names.includes(className)) as BeanForm;
  return described(declaration, form.fields(properties, className)).share<C>();
}

/** Throws an error that lists the ways to provide a connection. */
function missing<C>(problem: string, lookup: ConnectionLookup, parts: FindParts): Connection<C> {
  const { reference = "default", kinds, user } = lookup;
  if (parts.absent !== undefined) return parts.absent<C>(reference);
  const usable = [...parts.named.values()].filter((one) => serves(parts.types.loaded.get(one.type), lookup)).map(({ id }) => id);
  const id = lookup.reference ?? kinds[0] ?? "name";
  const ways = [
    ...(usable.length === 0 ? [] : [`use an existing one (${usable.toSorted().join(", ")})`]),
    `PUT /_api/connections/${id} with a type of ${typeNames(lookup, parts)}`,
    `define a bean '${id}' in the flow or as camel.beans.${id} in application.properties`,
    `set its values as options of the endpoint or as camel.component.${user}.* in application.properties`,
  ];
  throw new CompileError("connection-missing", problem, { hint: ways.join("; or "), ...(lookup.reference === undefined ? {} : { value: lookup.reference }) });
}

const serves = (facts: Pick<ConnectionFacts, "kinds"> | undefined, { kinds }: ConnectionLookup): boolean =>
  facts?.kinds.some((kind) => kinds.includes(kind)) === true;

const typeNames = (lookup: ConnectionLookup, { types }: FindParts): string =>
  types
    .facts()
    .flatMap((facts) => (serves(facts, lookup) ? [facts.type] : []))
    .join(", ");
