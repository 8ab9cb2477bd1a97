import { isJsonLimitError, parsePlainJsonIncrementally } from "@sluice/engine/values";
import { hashOf } from "../flows/flow-hash.ts";
import { inSlices } from "../host/in-slices.ts";
import type { DocumentStore, StoredDocument } from "./document-store.ts";

/** A store in memory: for documents that another process stores, and for runtimes that store nothing on disk. */
export interface MemoryDocumentStore extends DocumentStore {
  /** Parses long text in slices. */
  put(id: string, json: string): Promise<void>;
  ids(): readonly string[];
}

export function createMemoryDocumentStore(): MemoryDocumentStore {
  const documents = new Map<string, StoredDocument>();
  const put = async (id: string, json: string): Promise<StoredDocument> => {
    const document = { id, value: await parseJson(json), hash: hashOf(Buffer.from(json)), lastModified: Date.now() };
    documents.set(id, document);
    return document;
  };
  return {
    list: () => Promise.resolve([...documents.values()]),
    read: (id) => Promise.resolve(documents.get(id)),
    write: async (id, text) => ({ ...(await put(id, text)), unflushed: undefined }),
    remove: (id) => Promise.resolve({ found: documents.delete(id), unflushed: undefined }),
    put: async (id, json) => void (await put(id, json)),
    ids: () => [...documents.keys()],
  };
}

/** A document that exceeds the limits for JSON in requests comes from an operator's file and is parsed synchronously. */
async function parseJson(json: string): Promise<unknown> {
  try {
    return await inSlices(parsePlainJsonIncrementally(json));
  } catch (error) {
    if (isJsonLimitError(error)) return JSON.parse(json) as unknown;
    throw error;
  }
}
