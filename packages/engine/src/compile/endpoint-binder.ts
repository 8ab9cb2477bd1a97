// From an endpoint as written to the connector's sink, source or poller: finds the scheme, binds the options.
import { bindEndpoint, type EndpointNode } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";
import type { Connector, Endpoint, Poller, Sink, Source } from "../spi/connector.ts";
import type { Catalog, ConnectorDeclaration } from "../spi/declaration.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import { closest as nearestName } from "@sluice/model";

export class EndpointBinder {
  readonly #catalog: Catalog;
  readonly #instances: ReadonlyMap<string, Connector>;

  constructor(catalog: Catalog, instances: ReadonlyMap<string, Connector>) {
    this.#catalog = catalog;
    this.#instances = instances;
  }

  /** Throws a CompileError that names everything wrong with the endpoint. `trusted`: the flow's author wrote the address. */
  bind(node: EndpointNode, trusted: boolean): { endpoint: Endpoint; connector: Connector; declaration: ConnectorDeclaration } {
    const scheme = schemeOf(node.uri);
    const declaration = this.#catalog.connectors.get(scheme);
    const connector = this.#instances.get(scheme);
    if (declaration === undefined || connector === undefined) throw this.#unknownScheme(scheme, node.uri);
    const bound = bindEndpoint(node, { ...declaration, scheme });
    const [problem] = bound.problems;
    if (problem !== undefined)
      throw new CompileError(problem.code, problem.message, {
        ...(problem.hint === undefined ? {} : { hint: problem.hint }),
        ...placeOf(problem.option, node),
      });
    return { declaration, connector, endpoint: { scheme, uri: bound.uri, path: bound.path, options: bound.values, extra: bound.extra, trusted } };
  }

  sink(node: EndpointNode, trusted: boolean): { sink: Sink; uri: string; workers: ConnectorDeclaration["workers"] } {
    const { endpoint, connector, declaration } = this.bind(node, trusted);
    if (connector.sink === undefined)
      throw new CompileError("endpoint-no-sink", `endpoint '${endpoint.uri}' cannot be sent to`, { hint: `${endpoint.scheme} is a trigger only` });
    return { sink: connector.sink(endpoint), uri: endpoint.uri, workers: declaration.workers };
  }

  source(node: EndpointNode, route: RouteIdentity): { source: Source; uri: string } {
    const { endpoint, connector } = this.bind(node, true);
    if (connector.source === undefined)
      throw new CompileError("endpoint-no-source", `endpoint '${endpoint.uri}' cannot trigger a route`, { hint: `${endpoint.scheme} can only be sent to` });
    return { source: connector.source(endpoint, route), uri: endpoint.uri };
  }

  poller(node: EndpointNode, trusted: boolean): { poller: Poller; uri: string } {
    const { endpoint, connector } = this.bind(node, trusted);
    if (connector.poller === undefined) throw new CompileError("endpoint-no-poller", `endpoint '${endpoint.uri}' cannot be polled`);
    return { poller: connector.poller(endpoint), uri: endpoint.uri };
  }

  #unknownScheme(scheme: string, uri: string): CompileError {
    const refused = this.#catalog.refused.get(`${scheme}:`);
    if (refused !== undefined) return new CompileError("connector-refused", refused, { value: uri });
    if (scheme === "") return new CompileError("endpoint-invalid", `endpoint '${uri}' has no scheme`, { hint: "write for example direct:name" });
    const near = nearestName(scheme, [...this.#catalog.connectors.keys()]);
    return new CompileError("connector-unknown", `unknown connector '${scheme}'${near === undefined ? "" : ` (did you mean '${near}'?)`}`, {
      hint: near === undefined ? "the connectors are listed in the reference" : `did you mean '${near}'?`,
      value: uri,
    });
  }
}

/** Where an option of an endpoint was written: beside the uri, or in it. */
function placeOf(option: string | undefined, { uri, parameters }: EndpointNode): { option?: string; value?: string; offset?: number } {
  if (option === undefined) return { value: uri };
  if (Object.hasOwn(parameters, option)) return { option };
  const at = Math.max(uri.indexOf(`?${option}=`), uri.indexOf(`&${option}=`));
  return at < 0 ? { value: uri } : { value: uri, offset: at + option.length + 2 };
}

export function schemeOf(uri: string): string {
  return /^([a-z][\w.+-]*)(?::|$|\?)/i.exec(uri.trim())?.[1] ?? "";
}
