// Resolves the connection that an endpoint or bean requests. The flow and its properties supply definitions; the host selects the connection.
import { CompileError, isCompileError } from "../spi/compiler.ts";
import type { Connection, ConnectionBean, ConnectionRequest } from "../spi/connection.ts";
import type { UnloadedPart } from "../spi/declaration.ts";
import type { Host } from "../spi/host.ts";

export interface ConnectionSources {
  readonly host: Host;
  propertiesUnder(prefix: string): Readonly<Record<string, string>>;
  readonly unloaded: { add(part: UnloadedPart): unknown };
  /** Collects the id of each connection that is found. */
  readonly connections: Set<string>;
  /** The bean of this name in the flow. */
  flowBean(name: string): ConnectionBean | undefined;
  flowBeanNames(): readonly string[];
}

/** Maximum depth of references between beans. */
const maxReferenceDepth = 3;

/** Maximum connections listed per flow. */
const maxConnections = 1_000;

/** `user`: the scheme of the endpoint, or the name of the bean, that requests it. */
export function findConnection<C>(request: ConnectionRequest, user: string, sources: ConnectionSources): Connection<C> {
  const { connections } = sources.host;
  if (connections === undefined) throw new CompileError("connection-missing", "this runtime has no connections to other systems");
  const reference = request.reference === undefined ? undefined : nameOf(request.reference);
  const className = /^#class:(.+)$/.exec(request.reference ?? "")?.[1];
  const flowBean = className === undefined ? (reference === undefined ? undefined : sources.flowBean(reference)) : { type: className, properties: {} };
  const anyBean = (name: string): ConnectionBean | undefined => sources.flowBean(name) ?? propertyBean(name, sources);
  const lookup = {
    ...request,
    reference,
    user,
    flowBean: expandBean(flowBean, anyBean),
    flowBeans: () => new Map(sources.flowBeanNames().map((name) => [name, expandBean(sources.flowBean(name), anyBean) as ConnectionBean])),
    propertyBean: reference === undefined ? undefined : expandBean(propertyBean(reference, sources), (name) => propertyBean(name, sources)),
    component: componentOptions(user, sources),
  };
  try {
    const found = connections.find<C>(lookup);
    // Endpoints resolved at run time may use any number of connections.
    if (sources.connections.size < maxConnections) sources.connections.add(found.id);
    return found;
  } catch (error) {
    if (isCompileError(error) && error.unloaded !== undefined) sources.unloaded.add(error.unloaded);
    throw error;
  }
}

/** Connector options from the properties, by their URI names: `camel.component.kafka.session-timeout-ms` is `sessionTimeoutMs`. */
export function componentOptions(scheme: string, { propertiesUnder }: Pick<ConnectionSources, "propertiesUnder">): Readonly<Record<string, string>> {
  const options = Object.entries(propertiesUnder(`camel.component.${scheme}.`));
  return Object.fromEntries(options.map(([name, value]) => [name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()), value]));
}

/** The bean that `camel.beans.<name>` defines: the value is the class, `camel.beans.<name>.<property>` the properties. */
export function propertyBean(name: string, { propertiesUnder }: Pick<ConnectionSources, "propertiesUnder">): ConnectionBean | undefined {
  const values = propertiesUnder(`camel.beans.${name}`);
  const type = values[""];
  if (type === undefined) return undefined;
  const properties = Object.entries(values).flatMap(([key, value]) => {
    const property = /^(?:\.(.+)|\[(.+)\])$/.exec(key);
    return property === null ? [] : [[(property[1] ?? property[2]) as string, value] as const];
  });
  return { type, properties: Object.fromEntries(properties) };
}

/** The name without Camel's reference prefix. */
const nameOf = (reference: string): string =>
  reference
    .trim()
    .replace(/^#(?:bean:|type:|class:)?/, "")
    .trim();

/** The bean with the properties of referenced beans merged in, prefixed with the referring property. */
function expandBean(bean: ConnectionBean | undefined, find: (name: string) => ConnectionBean | undefined, depth = 0): ConnectionBean | undefined {
  if (bean === undefined) return undefined;
  const properties: Record<string, string> = {};
  for (const [name, value] of Object.entries(bean.properties)) {
    properties[name] = value;
    if (depth === maxReferenceDepth || typeof value !== "string" || !/^#(?!class:|type:)/.test(value)) continue;
    const inner = expandBean(find(nameOf(value)), find, depth + 1);
    for (const [key, nested] of Object.entries(inner?.properties ?? {})) properties[`${name}.${key}`] = nested;
  }
  return { type: classNameOf(bean.type), properties };
}

/** `#class:x.Y(1)` and `#type:x.Y` mean the class `x.Y`. */
export const classNameOf = (type: string): string => nameOf(type).replace(/\(.*\)$/s, "");
