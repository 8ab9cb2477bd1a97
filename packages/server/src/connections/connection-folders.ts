// Connections in folders next to the flows of a project: read in place and never written.
import { resolve } from "node:path";
import type { Settings } from "../config.ts";
import { documentsIn } from "../mappings/disk-document-store.ts";
import type { DocumentStore } from "../mappings/document-store.ts";
import { Refusal } from "../refusal.ts";

export function findConnectionFolders({ connections }: Pick<Settings, "connections">): readonly string[] {
  return connections.split(",").flatMap((folder) => (folder.trim() === "" ? [] : [resolve(folder.trim())]));
}

/** Adds the documents of these folders to the store; they take precedence over stored ones, and the first folder over the others. */
export function withConnectionFolders(store: DocumentStore, folders: readonly string[]): DocumentStore {
  if (folders.length === 0) return store;
  const places = [...folders.map((folder) => documentsIn(folder)), store];

  async function refuseFile(id: string): Promise<void> {
    for (const [index, folder] of folders.entries())
      if ((await places[index]?.read(id)) !== undefined)
        throw new Refusal("conflict", `connection '${id}' is read from the folder '${folder}': edit its file instead`);
  }

  return {
    async list() {
      const found = new Map<string, Awaited<ReturnType<DocumentStore["list"]>>[number]>();
      for (const place of places) for (const document of await place.list()) if (!found.has(document.id)) found.set(document.id, document);
      return [...found.values()];
    },
    async read(id) {
      for (const place of places) {
        const found = await place.read(id);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    check: (id, value) => store.check?.(id, value),
    async write(id, text) {
      await refuseFile(id);
      return store.write(id, text);
    },
    async remove(id) {
      await refuseFile(id);
      return store.remove(id);
    },
  };
}
