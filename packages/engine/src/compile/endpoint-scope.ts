// The parts of a flow that an endpoint can access. Connections that an endpoint acquires are released when it stops.
import { documentStart, schemeOf } from "@sluice/model";
import type { RouteIdentity } from "../exchange/run.ts";
import { CompileError } from "../spi/compiler.ts";
import type { Connection, ConnectionRequest } from "../spi/connection.ts";
import type { EndpointOrigin, EndpointScope } from "../spi/connector.ts";
import type { UnloadedPart } from "../spi/declaration.ts";
import { componentOptions, findConnection } from "./find-connection.ts";
import type { ComponentBean, FlowScope } from "./flow-scope.ts";

export interface EndpointContext {
  readonly scope: EndpointScope;
  /** Called with each value of an option that is declared secret. */
  secret(value: string): void;
  /** Called with a connector whose declaration must be loaded first. */
  unloaded(part: UnloadedPart): void;
  /** Default options of a connector, from the properties. */
  defaults(scheme: string): Readonly<Record<string, string>>;
  /** The connector that the bean with the name `scheme` configures, if there is such a bean in the flow. */
  component(scheme: string): ComponentBean | undefined;
  /** True if the endpoint acquired a connection. */
  readonly hasConnections: boolean;
  /** Releases every connection. */
  release(): void;
}

/** `connections` collects the acquired connections; an endpoint that delegates to another one shares the list with it. */
export function endpointScope(route: RouteIdentity, flow: FlowScope, scheme: string, origin: EndpointOrigin, connections: Connection[] = []): EndpointContext {
  return {
    secret: (value) => void flow.secrets.add(value),
    unloaded: (part) => void flow.unloaded.add(part),
    defaults: (name) => componentOptions(name, flow),
    component: (scheme) => flow.beans.component(scheme),
    get hasConnections() {
      return connections.length > 0;
    },
    release() {
      for (const connection of connections) connection.release();
    },
    scope: {
      route,
      bean: (reference, kind) => flow.beans.get(reference, kind),
      connection<C>(request: ConnectionRequest): Connection<C> {
        checkConnectionOrigin(request, scheme, flow, origin);
        const connection = findConnection<C>(request, scheme, {
          host: flow.host,
          unloaded: flow.unloaded,
          connections: flow.connections,
          propertiesUnder: flow.propertiesUnder,
          flowBean: (name) => flow.beans.describe(name),
          flowBeanNames: () => flow.beans.names(),
        });
        connections.push(connection);
        return connection;
      },
      expression(text) {
        // In an endpoint that is not written in the flow, the expression may come from a message.
        if (!origin.authored)
          throw new CompileError("endpoint-refused", "an expression in its options came from the message; write the endpoint literally in the flow");
        const { defaultLanguage, languages } = flow.catalog;
        const language = languages.get(defaultLanguage);
        if (language === undefined) throw new CompileError("language-unknown", `unknown language '${defaultLanguage}'`);
        return language.compile(
          text,
          {},
          {
            host: flow.host,
            route,
            property: flow.property,
            language: (name) => languages.get(name),
            bean: (reference, kind) => flow.beans.get(reference, kind),
          },
        );
      },
      source(uri, parameters) {
        if (!origin.authored) throw new CompileError("endpoint-refused", "part of it came from the message, and a message must not choose a source");
        return flow.endpoints.source({ uri, parameters, span: documentStart }, endpointScope(route, flow, schemeOf(uri), origin, connections));
      },
    },
  };
}

/**
 * Message content must not choose the target system or its credentials: the connection and every connection value in the endpoint must be
 * written in the flow or configured in the properties. An endpoint without such values gets the default connection only if its scheme is
 * written in the flow.
 */
function checkConnectionOrigin({ reference, inline }: ConnectionRequest, scheme: string, flow: FlowScope, { authored, literalScheme }: EndpointOrigin): void {
  if (authored) return;
  const values = [reference, ...Object.values(inline)].filter((value) => typeof value === "string" && value !== "") as string[];
  const configured = Object.values(componentOptions(scheme, flow));
  const fromMessage = values.find((value) => !configured.includes(value) && !flow.authored.some((text) => setsOption(text, value)));
  if (fromMessage !== undefined) throw new CompileError("endpoint-refused", "its connection came from the message; write the connection literally in the flow");
  if (values.length === 0 && literalScheme !== true)
    throw new CompileError("endpoint-refused", "its scheme came from the message, so its connection must be written literally in the flow");
}

/** True when the text sets an option to this value: `…=value` up to the next option or the end. */
function setsOption(text: string, value: string): boolean {
  for (let at = text.indexOf(`=${value}`); at >= 0; at = text.indexOf(`=${value}`, at + 1)) {
    const next = text[at + value.length + 1];
    if (next === undefined || /[&\s"',]/.test(next)) return true;
  }
  return text === value;
}
