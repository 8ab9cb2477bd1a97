// Resolves an endpoint node to the connector's sink, source or poller: finds the scheme and binds the options.
import { bindEndpoint, describe, type EndpointNode, type Fields } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";
import type { Connector, Endpoint, EndpointOrigin, Poller, Sink, Source } from "../spi/connector.ts";
import type { TriggerKind } from "@sluice/model";
import type { Catalog, ConnectorDeclaration } from "../spi/declaration.ts";
import { closest as nearestName } from "@sluice/model";
import type { HeldScope } from "./endpoint-scope.ts";

/** The origin of endpoints written in the flow. */
export const fromAuthor: EndpointOrigin = { trusted: true, authored: true };

export class EndpointBinder {
  readonly #catalog: Catalog;
  readonly #instances: { get(scheme: string): Connector | undefined };

  constructor(catalog: Catalog, instances: { get(scheme: string): Connector | undefined }) {
    this.#catalog = catalog;
    this.#instances = instances;
  }

  /** Throws a CompileError that lists everything wrong with the endpoint. */
  bind(written: EndpointNode, origin: EndpointOrigin, held: HeldScope): { endpoint: Endpoint; connector: Connector; declaration: ConnectorDeclaration } {
    const name = schemeOf(written.uri);
    const component = this.#catalog.connectors.has(name) ? undefined : held.component(name);
    const scheme = component?.scheme ?? name;
    const node = component === undefined ? written : { ...written, uri: scheme + written.uri.trim().slice(name.length) };
    const declaration = this.#catalog.connectors.get(scheme);
    const connector = this.#instances.get(scheme);
    if (declaration === undefined || connector === undefined) throw this.#unknownScheme(scheme, node.uri, held);
    const bound = bindEndpoint(node, { ...declaration, scheme, defaults: { ...held.defaults(scheme), ...component?.properties } });
    const [problem] = bound.problems;
    if (problem !== undefined)
      throw new CompileError(problem.code, problem.message, {
        ...(problem.hint === undefined ? {} : { hint: problem.hint }),
        ...optionLocation(problem.option, node),
      });
    for (const [name, field] of Object.entries({ ...(declaration.path as Fields), ...(declaration.options as Fields) })) {
      const value: unknown = bound.values[name];
      if (typeof value === "string" && value !== "" && describe(field).spec.secret === true) held.secret(value);
    }
    return { declaration, connector, endpoint: { scheme, uri: bound.uri, path: bound.path, options: bound.values, extra: bound.extra, ...origin } };
  }

  sink(node: EndpointNode, origin: EndpointOrigin, held: HeldScope): { sink: Sink; uri: string; declaration: ConnectorDeclaration } {
    const { endpoint, connector, declaration } = this.bind(node, origin, held);
    if (connector.sink === undefined)
      throw new CompileError("endpoint-no-sink", `endpoint '${endpoint.uri}' cannot be used as a destination`, {
        hint: `${endpoint.scheme} can only be used in 'from'`,
      });
    return { sink: connector.sink(endpoint, held.scope), uri: endpoint.uri, declaration };
  }

  source(node: EndpointNode, held: HeldScope): { source: Source; uri: string; trigger: TriggerKind | undefined } {
    const { endpoint, connector, declaration } = this.bind(node, fromAuthor, held);
    if (connector.source === undefined)
      throw new CompileError("endpoint-no-source", `endpoint '${endpoint.uri}' cannot trigger a route`, {
        hint: `${endpoint.scheme} cannot be used in 'from'`,
      });
    return { source: connector.source(endpoint, held.scope), uri: endpoint.uri, trigger: declaration.trigger };
  }

  poller(node: EndpointNode, origin: EndpointOrigin, held: HeldScope): { poller: Poller; uri: string } {
    const { endpoint, connector } = this.bind(node, origin, held);
    if (connector.poller === undefined) throw new CompileError("endpoint-no-poller", `endpoint '${endpoint.uri}' cannot be polled`);
    return { poller: connector.poller(endpoint, held.scope), uri: endpoint.uri };
  }

  #unknownScheme(scheme: string, uri: string, held: HeldScope): CompileError {
    const part = { kind: "connectors", name: scheme } as const;
    if (this.#catalog.index?.isUnloaded(part) === true) {
      held.unloaded(part);
      return new CompileError("connector-unloaded", `connector '${scheme}' is not loaded`, { value: uri, unloaded: part });
    }
    const refused = this.#catalog.refused.get(`${scheme}:`);
    if (refused !== undefined) return new CompileError("connector-refused", refused, { value: uri });
    if (scheme === "") return new CompileError("endpoint-invalid", `endpoint '${uri}' has no scheme`, { hint: "for example direct:name" });
    const near = nearestName(scheme, [...this.#catalog.connectors.keys(), ...(this.#catalog.index?.schemes() ?? [])]);
    return new CompileError("connector-unknown", `unknown connector '${scheme}'${near === undefined ? "" : ` (did you mean '${near}'?)`}`, {
      hint: near === undefined ? "see the connector reference for all names" : `did you mean '${near}'?`,
      value: uri,
    });
  }
}

/** Where an option is written: as a parameter, or at an offset of the URI. */
function optionLocation(option: string | undefined, { uri, parameters }: EndpointNode): { option?: string; value?: string; offset?: number } {
  if (option === undefined) return { value: uri };
  if (Object.hasOwn(parameters, option)) return { option };
  const at = Math.max(uri.indexOf(`?${option}=`), uri.indexOf(`&${option}=`));
  return at < 0 ? { value: uri } : { value: uri, offset: at + option.length + 2 };
}

export function schemeOf(uri: string): string {
  return /^([a-z][\w.+-]*)(?::|$|\?)/i.exec(uri.trim())?.[1] ?? "";
}
