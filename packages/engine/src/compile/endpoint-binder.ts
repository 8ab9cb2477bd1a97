// Resolves an endpoint node to the connector's sink, source or poller: finds the scheme and binds the options.
import { bindEndpoint, closest, describe, schemeOf, type EndpointNode, type EndpointProblem, type Fields } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";
import type { Connector, DelegateSource, Endpoint, EndpointOrigin, Poller, Sink } from "../spi/connector.ts";
import type { Catalog, ConnectorDeclaration } from "../spi/declaration.ts";
import type { EndpointContext } from "./endpoint-scope.ts";

/** The origin of endpoints written in the flow. */
export const fromAuthor: EndpointOrigin = { trusted: true, authored: true };

export class EndpointBinder {
  readonly #catalog: Catalog;
  readonly #instances: { get(scheme: string): Connector | undefined };

  constructor(catalog: Catalog, instances: { get(scheme: string): Connector | undefined }) {
    this.#catalog = catalog;
    this.#instances = instances;
  }

  /** Throws a CompileError that contains everything wrong with the endpoint. */
  bind(
    original: EndpointNode,
    origin: EndpointOrigin,
    context: EndpointContext,
  ): { endpoint: Endpoint; connector: Connector; declaration: ConnectorDeclaration } {
    const name = schemeOf(original.uri);
    const component = this.#catalog.connectors.has(name) ? undefined : context.component(name);
    const scheme = component?.scheme ?? name;
    const node = component === undefined ? original : { ...original, uri: scheme + original.uri.trim().slice(name.length) };
    const declaration = this.#catalog.connectors.get(scheme);
    const connector = this.#instances.get(scheme);
    if (declaration === undefined || connector === undefined) throw this.#unknownScheme(scheme, node.uri, context);
    const bound = bindEndpoint(node, {
      ...declaration,
      scheme,
      isComputed: !origin.authored,
      defaults: { ...context.defaults(scheme), ...component?.properties },
    });
    const [problem, ...otherProblems] = bound.problems;
    if (problem !== undefined) {
      const others = otherProblems.map((other) => problemError(other, node));
      throw problemError(problem, node, others);
    }
    for (const [name, field] of Object.entries({ ...(declaration.path as Fields), ...(declaration.options as Fields) })) {
      const value: unknown = bound.values[name];
      if (typeof value === "string" && value !== "" && describe(field).spec.secret === true) context.secret(value);
    }
    return { declaration, connector, endpoint: { scheme, uri: bound.uri, path: bound.path, options: bound.values, extra: bound.extra, ...origin } };
  }

  sink(node: EndpointNode, origin: EndpointOrigin, context: EndpointContext): { sink: Sink; uri: string; declaration: ConnectorDeclaration } {
    const { endpoint, connector, declaration } = this.bind(node, origin, context);
    if (connector.sink === undefined) throw noSink(endpoint, declaration);
    return { sink: connector.sink(endpoint, context.scope), uri: endpoint.uri, declaration };
  }

  source(node: EndpointNode, context: EndpointContext): DelegateSource {
    const { endpoint, connector, declaration } = this.bind(node, fromAuthor, context);
    if (connector.source === undefined)
      throw new CompileError("endpoint-no-source", `endpoint '${endpoint.uri}' cannot trigger a route`, {
        hint: `${endpoint.scheme} cannot be used in 'from'`,
      });
    const source = connector.source(endpoint, context.scope);
    const { master } = source;
    if (master === undefined) return { source, uri: endpoint.uri, trigger: declaration.trigger };
    // Only the declaration of the delegate defines which options are secret.
    return { source, uri: `${endpoint.scheme}:${master.name}:${master.delegate.uri}`, trigger: master.delegate.trigger };
  }

  poller(node: EndpointNode, origin: EndpointOrigin, context: EndpointContext): { poller: Poller; uri: string } {
    const { endpoint, connector } = this.bind(node, origin, context);
    if (connector.poller === undefined) throw noPoller(endpoint);
    return { poller: connector.poller(endpoint, context.scope), uri: endpoint.uri };
  }

  /** Checks an endpoint that is written in the flow and opened at run time. */
  check(node: EndpointNode, role: "sink" | "poller", context: EndpointContext): { uri: string; declaration: ConnectorDeclaration } {
    const { endpoint, connector, declaration } = this.bind(node, fromAuthor, context);
    if (connector[role] === undefined) throw role === "sink" ? noSink(endpoint, declaration) : noPoller(endpoint);
    return { uri: endpoint.uri, declaration };
  }

  #unknownScheme(scheme: string, uri: string, context: EndpointContext): CompileError {
    const part = { kind: "connectors", name: scheme } as const;
    if (this.#catalog.index?.isUnloaded(part) === true) {
      context.unloaded(part);
      return new CompileError("connector-unloaded", `connector '${scheme}' is not loaded`, { value: uri, unloaded: part });
    }
    const reason = this.#catalog.refused.get(`${scheme}:`);
    if (reason !== undefined) return new CompileError("connector-refused", reason, { value: uri });
    if (scheme === "") return new CompileError("endpoint-invalid", `endpoint '${uri}' has no scheme`, { hint: "for example direct:name" });
    const suggestion = closest(scheme, [...this.#catalog.connectors.keys(), ...(this.#catalog.index?.schemes() ?? [])]);
    return new CompileError("connector-unknown", `unknown connector '${scheme}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`, {
      hint: suggestion === undefined ? "see the connector reference for all names" : `did you mean '${suggestion}'?`,
      value: uri,
    });
  }
}

const noSink = ({ uri, scheme }: Endpoint, { trigger }: ConnectorDeclaration): CompileError =>
  new CompileError("endpoint-no-sink", `endpoint '${uri}' cannot be used as a destination`, {
    hint: `${scheme} can only be used in 'from'${trigger === "request" ? "; call other servers with http:" : ""}`,
  });

const noPoller = ({ uri }: Endpoint): CompileError => new CompileError("endpoint-no-poller", `endpoint '${uri}' cannot be polled`);

function problemError({ code, message, hint, option }: EndpointProblem, node: EndpointNode, others: readonly CompileError[] = []): CompileError {
  return new CompileError(code, message, { ...(hint === undefined ? {} : { hint }), ...optionLocation(option, node), others });
}

/** Where an option is written: as a parameter, or at an offset of the URI. */
function optionLocation(option: string | undefined, { uri, parameters }: EndpointNode): { option?: string; value?: string; offset?: number } {
  if (option === undefined) return { value: uri };
  if (Object.hasOwn(parameters, option)) return { option };
  const at = Math.max(uri.indexOf(`?${option}=`), uri.indexOf(`&${option}=`));
  return at < 0 ? { value: uri } : { value: uri, offset: at + option.length + 2 };
}
