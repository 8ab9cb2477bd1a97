import { entities, type BeanDeclaration, type Catalog, type ConnectorDeclaration } from "@sluice/engine";
import { beans, formats, languages, refused, standardEntities, steps } from "@sluice/standard";

/** The standard catalog plus a test's own connectors and beans. */
export function catalogOf(connectors: readonly ConnectorDeclaration[], ownBeans: readonly BeanDeclaration[] = []): Catalog {
  const schemes = connectors.flatMap((connector) => [connector.scheme, ...(connector.aliases ?? [])].map((scheme) => [scheme, connector] as const));
  return {
    steps: new Map(steps.map((step) => [step.name, step])),
    languages: new Map(languages.map((language) => [language.name, language])),
    formats: new Map(formats.map((format) => [format.name, format])),
    beans: new Map([...beans, ...ownBeans].flatMap((bean) => bean.names.map((name) => [name, bean] as const))),
    entities: new Map([...entities, ...standardEntities].map((entity) => [entity.name, entity])),
    connectors: new Map(schemes),
    refused,
    defaultLanguage: "simple",
  };
}
