import { connectors } from "@sluice/connectors";
import { entities, type Catalog } from "@sluice/engine";
import { beans, formats, languages, refused, restEntities, steps } from "@sluice/standard";

/** Everything this runtime knows, by name. */
export function createCatalog(): Catalog {
  return {
    steps: new Map(steps.map((step) => [step.name, step])),
    languages: new Map(languages.map((language) => [language.name, language])),
    formats: new Map(formats.map((format) => [format.name, format])),
    connectors: new Map(connectors.flatMap((connector) => [connector.scheme, ...(connector.aliases ?? [])].map((scheme) => [scheme, connector] as const))),
    entities: new Map([...entities, ...restEntities].map((entity) => [entity.name, entity])),
    beans: new Map(beans.flatMap((bean) => bean.names.map((name) => [name, bean] as const))),
    refused,
    defaultLanguage: "simple",
  };
}
