import { hashOf } from "../flows/disk-flow-store.ts";
import type { DocumentStore, StoredDocument } from "./document-store.ts";

/** A store that forgets at the end of the process, for documents somebody else keeps. */
export interface MemoryDocumentStore extends DocumentStore {
  put(id: string, value: unknown): void;
  ids(): readonly string[];
}

export function createMemoryDocumentStore(): MemoryDocumentStore {
  const documents = new Map<string, StoredDocument>();
  const put = (id: string, value: unknown): StoredDocument => {
    const document = { id, value, hash: hashOf(Buffer.from(JSON.stringify(value))), lastModified: Date.now() };
    documents.set(id, document);
    return document;
  };
  return {
    list: () => Promise.resolve([...documents.values()]),
    read: (id) => Promise.resolve(documents.get(id)),
    write: (id, text) => Promise.resolve(put(id, JSON.parse(text))),
    remove: (id) => Promise.resolve(documents.delete(id)),
    put,
    ids: () => [...documents.keys()],
  };
}
