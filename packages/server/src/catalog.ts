import { connectorsWith, type ConnectorSettings } from "@sluice/connectors";
import { entities, type BeanDeclaration, type Catalog, type LanguageDeclaration } from "@sluice/engine";
import { beans, formats, languages, refused, restEntities, steps } from "@sluice/standard";

/** Everything this runtime knows, by name. */
export function createCatalog(
  settings: Omit<ConnectorSettings, "languages"> & { readonly functions?: readonly BeanDeclaration[]; readonly js?: LanguageDeclaration } = {},
): Catalog {
  const known = new Map([...languages, ...(settings.js === undefined ? [] : [settings.js])].map((language) => [language.name, language]));
  const connectors = connectorsWith({ ...settings, languages: { language: (name) => known.get(name) } });
  return {
    steps: new Map(steps.map((step) => [step.name, step])),
    languages: known,
    formats: new Map(formats.map((format) => [format.name, format])),
    connectors: new Map(connectors.flatMap((connector) => [connector.scheme, ...(connector.aliases ?? [])].map((scheme) => [scheme, connector] as const))),
    entities: new Map([...entities, ...restEntities].map((entity) => [entity.name, entity])),
    beans: new Map([...beans, ...(settings.functions ?? [])].flatMap((bean) => bean.names.map((name) => [name, bean] as const))),
    refused,
    defaultLanguage: "simple",
  };
}
