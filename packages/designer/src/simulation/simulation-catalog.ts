// What a simulated flow may use: the real steps, languages and formats; the real connectors that stay inside the engine; and in
// place of those that reach outside, ends that only note that a message would have gone out.
import { portableConnectors, ioShapes, type MessageMappingPort } from "@sluice/connectors/portable";
import {
  entities,
  type Catalog,
  type Connector,
  type ConnectorDeclaration,
  type Exchange,
  type Host,
  type LanguageDeclaration,
  type Source,
} from "@sluice/engine";
import { beans, formats, languages, refused, restEntities, steps } from "@sluice/standard";

export interface OutsideWorld {
  readonly mappings: MessageMappingPort;
  /** A message reached an end that no mock answers for. */
  unmocked(exchange: Exchange): void;
  /** A text was read as a condition by a language that reads conditions differently from other expressions. */
  condition?(text: string): void;
}

/** Triggers that would fire by themselves; a simulated run is set off by hand. */
const ticking: ReadonlySet<string> = new Set(["timer", "cron", "quartz", "scheduler"]);
const served: ReadonlySet<string> = new Set(["webhook", "platform-http"]);

export function simulationCatalog(world: OutsideWorld): Catalog {
  const known = new Map(languages.map((language) => [language.name, withConditions(language, world)]));
  const portable = portableConnectors(
    // Two bodies are the same request when all of their bytes are.
    { digest: (bytes) => bytes.join(), readUpload: (body) => Promise.resolve({ body, headers: [] }) },
    {
      mappings: world.mappings,
      languages: { language: (name) => known.get(name) },
      deadLetters: { keep: (exchange) => Promise.resolve(world.unmocked(exchange)) },
    },
  );
  const connectors = [
    ...portable.map((connector) =>
      ticking.has(connector.scheme)
        ? withSource(connector, quietSource)
        : served.has(connector.scheme)
          ? withSource(connector, directly)
          : connector.scheme === "queue"
            ? outbound(connector, world)
            : connector,
    ),
    ...ioShapes.map((shape) => outbound(shape, world)),
  ];
  return {
    steps: new Map(steps.map((step) => [step.name, step])),
    languages: known,
    formats: new Map(formats.map((format) => [format.name, format])),
    beans: new Map(beans.flatMap((bean) => bean.names.map((name) => [name, bean] as const))),
    entities: new Map([...entities, ...restEntities].map((entity) => [entity.name, entity])),
    connectors: new Map(connectors.flatMap((connector) => [connector.scheme, ...(connector.aliases ?? [])].map((scheme) => [scheme, connector] as const))),
    refused,
    defaultLanguage: "simple",
  };
}

function withConditions(language: LanguageDeclaration, { condition }: OutsideWorld): LanguageDeclaration {
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

/** The connector with its triggers made by `change`. */
function withSource(declaration: ConnectorDeclaration, change: (make: MakeSource) => MakeSource): ConnectorDeclaration {
  return {
    ...declaration,
    connect(host: Host) {
      const connector = declaration.connect(host);
      return connector.source === undefined ? connector : { ...connector, source: change(connector.source) };
    },
  };
}

const silent: Pick<Source, "start" | "stop"> = { start: () => undefined, stop: () => undefined };

const quietSource =
  (make: MakeSource): MakeSource =>
  (endpoint, route) => ({ ...make(endpoint, route), ...silent });

/** What would be kept on disk first runs at once: there is no disk. */
const directly =
  (make: MakeSource): MakeSource =>
  (endpoint, route) =>
    make({ ...endpoint, options: { ...(endpoint.options as object), durable: false } }, route);

function outbound(shape: Omit<ConnectorDeclaration, "connect">, { unmocked }: OutsideWorld): ConnectorDeclaration {
  const triggers: Connector["source"] = () => ({ claims: [], exclusive: false, ...silent });
  const sink: Connector["sink"] = () => ({ send: unmocked });
  const poller: Connector["poller"] = () => ({ receive: (_timeoutMs, exchange) => void unmocked(exchange) });
  const ends = shape.scheme === "http" ? { sink } : shape.scheme === "file" ? { source: triggers, sink, poller } : { source: triggers, sink };
  return { ...shape, connect: () => ends };
}
