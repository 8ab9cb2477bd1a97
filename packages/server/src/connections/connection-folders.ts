// Connections in folders next to the flows of a project: read in place and never written.
import { resolve } from "node:path";
import type { Settings } from "../config.ts";
import { documentsIn } from "../mappings/disk-document-store.ts";
import type { DocumentStore } from "../mappings/document-store.ts";
import { ServiceError } from "../service-error.ts";

export function findConnectionFolders({ connections }: Pick<Settings, "connections">): readonly string[] {
  return connections.split(",").flatMap((folder) => (folder.trim() === "" ? [] : [resolve(folder.trim())]));
}

/** Adds the documents of these folders to the store; they take precedence over stored ones, and the first folder over the others. */
export function withConnectionFolders(store: DocumentStore, folders: readonly string[]): DocumentStore {
  if (folders.length === 0) return store;
  const stores = [...folders.map((folder) => documentsIn(folder)), store];
  /** Documents that were last read from a folder. */
  const files = new Set<string>();

  function recordSource(id: string, source: (typeof stores)[number]): void {
    if (source === store) files.delete(id);
    else files.add(id);
  }

  async function rejectIfFile(id: string): Promise<void> {
    for (const [index, folder] of folders.entries())
      if ((await stores[index]?.read(id)) !== undefined)
        throw new ServiceError("conflict", `connection '${id}' is read from the folder '${folder}': edit its file instead`);
  }

  return {
    removalReason: (id) => (files.has(id) ? undefined : store.removalReason?.(id)),
    async list() {
      const documents = new Map<string, Awaited<ReturnType<DocumentStore["list"]>>[number]>();
      for (const source of stores)
        for (const document of await source.list()) {
          if (documents.has(document.id)) continue;
          documents.set(document.id, document);
          recordSource(document.id, source);
        }
      return [...documents.values()];
    },
    async read(id) {
      for (const source of stores) {
        const document = await source.read(id);
        if (document === undefined) continue;
        recordSource(id, source);
        return document;
      }
      return undefined;
    },
    check: (id, value) => store.check?.(id, value),
    async write(id, text) {
      await rejectIfFile(id);
      return store.write(id, text);
    },
    async remove(id) {
      await rejectIfFile(id);
      return store.remove(id);
    },
  };
}
