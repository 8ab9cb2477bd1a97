// Keeps flows in memory, for runtimes that exist only for tests.
import { fileNameOf } from "./flow-file-name.ts";
import type { FlowStore, StoredFlow } from "./flow-store.ts";

export function createMemoryFlowStore(now: () => number): FlowStore {
  const flows = new Map<string, StoredFlow>();
  return {
    list: async () =>
      [...flows.values()]
        .map(({ id, file, lastModified, hash, params }) => ({
          id,
          file,
          lastModified,
          stamp: `${lastModified}-${hash}`,
          problem: undefined,
          hasParams: Object.keys(params).length > 0,
        }))
        .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
    read: async (id) => flows.get(id),
    readListed: async ({ id }) => flows.get(id),
    stage: async ({ id, bytes, hash, params }) => ({
      async commit() {
        const stored = { id, file: fileNameOf(id), bytes, hash, params, lastModified: now() };
        flows.set(id, stored);
        return { file: stored.file, lastModified: stored.lastModified, unflushed: undefined };
      },
      discard: async () => undefined,
    }),
    remove: async (id) => ({ found: flows.delete(id), unflushed: undefined }),
  };
}
