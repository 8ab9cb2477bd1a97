// The environment of a document in the page: the tables and documents of the runtime and its expression languages, loaded when a text uses them.
import { mappingLanguages, readTable, type MappingEnvironment, type ValueTable } from "@sluice/mapping";
import type { MappingKind } from "../api-client/runtime-client.ts";

export type ReadMapping = (kind: MappingKind, id: string) => Promise<unknown>;

export interface LazyEnvironment {
  readonly environment: MappingEnvironment;
  /** Loads missing items that the text names; true when something was loaded. */
  complete(text: string): Promise<boolean>;
}

const languageNames = /"?(simple|jsonpath|jq|xpath|jsonata|constant|header|exchangeProperty|variable|csimple|tokenize|datasonnet|js|javascript)"?\s*:/;

export function createLazyEnvironment(ids: { readonly tables: readonly string[]; readonly documents: readonly string[] }, read: ReadMapping): LazyEnvironment {
  const tables = new Map<string, ValueTable>();
  const documents = new Map<string, unknown>();
  const requested = new Set<string>();
  let environment: MappingEnvironment = { tables, documents };
  const notYetRequested = (text: string, kind: string, candidates: readonly string[]): readonly string[] =>
    candidates.filter((id) => !requested.has(`${kind} ${id}`) && text.includes(id)).map((id) => (requested.add(`${kind} ${id}`), id));
  return {
    get environment() {
      return environment;
    },
    async complete(text) {
      const newTables = notYetRequested(text, "table", ids.tables);
      const newDocuments = notYetRequested(text, "document", ids.documents);
      const needsLanguages = environment.compileLanguage === undefined && languageNames.test(text);
      const added = needsLanguages ? { compileLanguage: await loadLanguages() } : {};
      await Promise.all([
        ...newTables.map(async (id) => {
          const { table } = readTable(id, await read("value-mappings", id));
          if (table !== undefined) tables.set(id, table);
        }),
        ...newDocuments.map(async (id) => documents.set(id, await read("message-mappings", id))),
      ]);
      const hasLoaded = needsLanguages || newTables.length + newDocuments.length > 0;
      // A new object, so that React detects the change.
      if (hasLoaded) environment = { ...environment, ...added };
      return hasLoaded;
    },
  };
}

/** Loaded only when a language is used, because most documents need none. */
async function loadLanguages(): Promise<NonNullable<MappingEnvironment["compileLanguage"]>> {
  const [{ simulationCatalog }, { SimulatedHost }] = await Promise.all([
    import("../simulation/simulation-catalog.ts"),
    import("../simulation/simulated-host.ts"),
  ]);
  const catalog = simulationCatalog({ mappings: { find: () => undefined }, unmocked: () => undefined });
  return mappingLanguages(catalog, new SimulatedHost({ find: () => undefined }));
}
