// The catalog of a simulated flow: the real steps, languages and formats; the real connectors without I/O; and placeholders for all others, which
// only record that a message would have been sent.
import { portableConnectors, ioShapes, type MessageMappingPort } from "@sluice/connectors/portable";
import { entities, type Catalog, type Connector, type ConnectorDeclaration, type Exchange, type LanguageDeclaration, type Source } from "@sluice/engine";
import type { ConnectorRole } from "@sluice/model";
import { placeholderConnectors, type RuntimeConnectors } from "./runtime-connectors.ts";
import { beans, formats, languages, refused, standardEntities, steps } from "@sluice/standard";

export interface SimulationPorts {
  readonly mappings: MessageMappingPort;
  /** Called when a message reached a placeholder without a mock. */
  unmocked(exchange: Exchange): void;
  /** Called when text was compiled as a condition by a language that treats conditions differently from other expressions. */
  condition?(text: string): void;
  /** Connectors of the runtime in addition to those of the page. */
  readonly runtimeConnectors?: RuntimeConnectors;
}

export function simulationCatalog(ports: SimulationPorts): Catalog {
  const languagesByName = new Map(languages.map((language) => [language.name, withConditions(language, ports)]));
  const portable = portableConnectors(
    // The bytes themselves serve as the digest, so that only equal bodies have the same one.
    { digest: (bytes) => bytes.join(), readUpload: (body) => Promise.resolve({ body, headers: [] }) },
    {
      mappings: ports.mappings,
      languages: { language: (name) => languagesByName.get(name) },
      deadLetters: { store: (exchange) => Promise.resolve(ports.unmocked(exchange)) },
    },
  );
  const local = [...portable.map((connector) => simulateConnector(connector, ports)), ...ioShapes.map((shape) => placeholderConnector(shape, ports))];
  const schemes = new Set(local.flatMap(({ scheme, aliases = [] }) => [scheme, ...aliases]));
  const others = ports.runtimeConnectors === undefined ? [] : placeholderConnectors(ports.runtimeConnectors, (scheme) => schemes.has(scheme));
  const connectors = [...local, ...others.map((shape) => placeholderConnector(shape, ports))];
  return {
    steps: new Map(steps.map((step) => [step.name, step])),
    languages: languagesByName,
    formats: new Map(formats.map((format) => [format.name, format])),
    beans: new Map(beans.flatMap((bean) => bean.names.map((name) => [name, bean] as const))),
    entities: new Map([...entities, ...standardEntities].map((entity) => [entity.name, entity])),
    connectors: new Map(connectors.flatMap((connector) => [connector.scheme, ...(connector.aliases ?? [])].map((scheme) => [scheme, connector] as const))),
    refused,
    defaultLanguage: "simple",
  };
}

/** A simulated run is started manually and stores nothing: automatic triggers never fire, and there is no store. */
function simulateConnector(connector: ConnectorDeclaration, ports: SimulationPorts): ConnectorDeclaration {
  if (connector.usesStore === true) return placeholderConnector(connector, ports);
  if (connector.trigger === "schedule") return withSource(connector, inactiveSource);
  return connector.trigger === "request" ? withSource(connector, withoutDurability) : connector;
}

function withConditions(language: LanguageDeclaration, { condition }: SimulationPorts): LanguageDeclaration {
  const { compilePredicate } = language;
  if (compilePredicate === undefined) return language;
  return {
    ...language,
    compilePredicate(text, options, scope) {
      condition?.(text);
      return compilePredicate.call(language, text, options, scope);
    },
  };
}

type MakeSource = NonNullable<Connector["source"]>;

/** The connector with its sources replaced by `change`. */
function withSource(declaration: ConnectorDeclaration, change: (make: MakeSource) => MakeSource): ConnectorDeclaration {
  return {
    ...declaration,
    connect(host, shared) {
      const connector = declaration.connect(host, shared);
      return connector.source === undefined ? connector : { ...connector, source: change(connector.source.bind(connector)) };
    },
  };
}

const inactive: Pick<Source, "start" | "stop"> = { start: () => undefined, stop: () => undefined };

const inactiveSource =
  (make: MakeSource): MakeSource =>
  (endpoint, scope) => ({ ...make(endpoint, scope), ...inactive });

/** Durable messages run immediately, because there is no disk. */
const withoutDurability =
  (make: MakeSource): MakeSource =>
  (endpoint, scope) =>
    make({ ...endpoint, options: { ...(endpoint.options as object), durable: false } }, scope);

function placeholderConnector(shape: Omit<ConnectorDeclaration, "connect">, { unmocked }: SimulationPorts): ConnectorDeclaration {
  const source: Connector["source"] = () => ({ claims: [], exclusive: false, ...inactive });
  const sink: Connector["sink"] = () => ({ send: unmocked });
  const poller: Connector["poller"] = () => ({ receive: (_timeoutMs, exchange) => (unmocked(exchange), undefined) });
  const byRole: Required<Pick<Connector, ConnectorRole>> = { source, sink, poller };
  return { ...shape, connect: () => Object.fromEntries(shape.roles.map((role) => [role, byRole[role]])) };
}
