// Tables and documents with their stores. Dependencies on the runtime are set by `load`.
import { join } from "node:path";
import type { Catalog, Host, Log } from "@sluice/engine";
import { mappingLanguages, operatorFunctions, type MappingEnvironment } from "@sluice/mapping";
import type { FlowStore } from "../flows/flow-store.ts";
import type { DocumentStore } from "./document-store.ts";
import { openDiskDocumentStore } from "./disk-document-store.ts";
import { createMappingUsers, type MappingUsers, type SearchableFlows } from "./mapping-users.ts";
import { createMessageMappings, type MessageMappings } from "./message-mappings.ts";
import { createValueMappings, type ValueMappings } from "./value-mappings.ts";

export interface Mappings {
  readonly tables: ValueMappings;
  readonly documents: MessageMappings;
  readonly users: MappingUsers;
  /** Loads and activates everything stored; must run before flows start. */
  load(catalog: Catalog, host: Host): Promise<void>;
}

const noFlows: SearchableFlows = { list: () => Promise.resolve([]), read: () => Promise.resolve(undefined) };

export async function openMappings(dataDir: string, flows: FlowStore, log: Log): Promise<Mappings> {
  return createMappings(
    await openDiskDocumentStore(join(dataDir, "value-mappings")),
    await openDiskDocumentStore(join(dataDir, "message-mappings")),
    log,
    flows,
  );
}

/** Creates tables and documents on these stores; without flows, users of a document cannot be listed. */
export function createMappings(tableStore: DocumentStore, documentStore: DocumentStore, log: Log, flows: SearchableFlows = noFlows): Mappings {
  const tables = createValueMappings(tableStore, log);
  let languages: MappingEnvironment["compileLanguage"];
  let functions: MappingEnvironment["functions"];
  const documents = createMessageMappings(documentStore, log, {
    tables: tables.tables,
    functions: { get: (name) => functions?.get(name) },
    compileLanguage(language, text, xml) {
      if (languages === undefined) throw new Error(`the language '${language}' is not available yet`);
      return languages(language, text, xml);
    },
  });
  return {
    tables,
    documents,
    users: createMappingUsers(documents, flows),
    async load(catalog, host) {
      languages = mappingLanguages(catalog, host);
      functions = operatorFunctions(catalog, host);
      await tables.load();
      await documents.load();
    },
  };
}
