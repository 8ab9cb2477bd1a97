import { connectorsWith, type ConnectorSettings } from "@sluice/connectors";
import { entities, type BeanDeclaration, type Catalog, type ConnectorDeclaration, type LanguageDeclaration } from "@sluice/engine";
import { beans, formats, languages, refused, standardEntities, steps } from "@sluice/standard";
import { createConnectionTypes, type ConnectionTypes } from "./connections/connection-types.ts";
import { createPartIndex, type FullPartIndex, type PartEntries } from "./part-index.ts";
import { noParts, type DeclaredParts } from "./plugins/declared-parts.ts";

export interface CatalogSettings extends Omit<ConnectorSettings, "languages"> {
  readonly plugins?: DeclaredParts;
  readonly js?: LanguageDeclaration;
  readonly connectionTypes?: ConnectionTypes;
  /** Replaces the runtime's list of parts loaded on demand; for tests. */
  readonly entries?: PartEntries;
}

/** A catalog that loads connectors, connection types and beans on demand. */
export interface ServerCatalog extends Catalog {
  readonly index: FullPartIndex;
  /** Grows as parts are loaded. The operator's functions in it are replaced when they are reloaded. */
  readonly beans: Map<string, BeanDeclaration>;
  readonly connectionTypes: ConnectionTypes;
}

/** Creates the catalog of all declarations. */
export function createCatalog(settings: CatalogSettings = {}): ServerCatalog {
  const { plugins = noParts, connectionTypes = createConnectionTypes(plugins.connections), entries } = settings;
  const allLanguages = [...languages, ...(settings.js === undefined ? [] : [settings.js]), ...plugins.languages];
  const languagesByName = new Map(allLanguages.map((language) => [language.name, language]));
  const ports = { ...settings, languages: { language: (name: string) => languagesByName.get(name) } };
  const loaded = {
    connectors: byScheme([...connectorsWith(ports), ...plugins.connectors]),
    beans: new Map([...beans, ...plugins.beans].flatMap((bean) => bean.names.map((name) => [name, bean] as const))),
    connections: connectionTypes,
  };
  return {
    steps: new Map([...steps, ...plugins.steps].map((step) => [step.name, step])),
    languages: languagesByName,
    formats: new Map([...formats, ...plugins.formats].map((format) => [format.name, format])),
    connectors: loaded.connectors,
    entities: new Map([...entities, ...standardEntities].map((entity) => [entity.name, entity])),
    beans: loaded.beans,
    refused,
    defaultLanguage: "simple",
    index: createPartIndex(loaded, ports, entries),
    connectionTypes,
  };
}

const byScheme = (connectors: readonly ConnectorDeclaration[]): Map<string, ConnectorDeclaration> =>
  new Map(connectors.flatMap((connector) => [connector.scheme, ...(connector.aliases ?? [])].map((scheme) => [scheme, connector] as const)));
