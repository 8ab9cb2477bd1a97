// Tables and documents with their stores; what they need of the runtime is given when it exists.
import { join } from "node:path";
import type { Catalog, Host, Log } from "@sluice/engine";
import { mappingLanguages, operatorFunctions, type MappingEnvironment } from "@sluice/mapping";
import type { FlowStore } from "../flows/flow-store.ts";
import { openDiskDocumentStore } from "./disk-document-store.ts";
import { createMappingUsers, type MappingUsers } from "./mapping-users.ts";
import { createMessageMappings, type MessageMappings } from "./message-mappings.ts";
import { createValueMappings, type ValueMappings } from "./value-mappings.ts";

export interface Mappings {
  readonly tables: ValueMappings;
  readonly documents: MessageMappings;
  readonly users: MappingUsers;
  /** Brings everything stored into service; before any flow starts. */
  load(catalog: Catalog, host: Host): Promise<void>;
}

export async function openMappings(dataDir: string, flows: FlowStore, log: Log): Promise<Mappings> {
  const tables = createValueMappings(await openDiskDocumentStore(join(dataDir, "value-mappings")), log);
  let languages: MappingEnvironment["compileLanguage"];
  let functions: MappingEnvironment["functions"];
  const documents = createMessageMappings(await openDiskDocumentStore(join(dataDir, "message-mappings")), log, {
    tables: tables.tables,
    functions: { get: (name) => functions?.get(name) },
    compileLanguage(language, text) {
      if (languages === undefined) throw new Error(`the language '${language}' is not available yet`);
      return languages(language, text);
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
