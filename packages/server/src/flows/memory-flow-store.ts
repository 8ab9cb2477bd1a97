// Stores flows in memory, for trials and for embedded runtimes that do not persist flows.
import { fileNameOf } from "./flow-file-name.ts";
import { shownParams } from "./flow-params.ts";
import type { FlowStore, FlowVersion, StoredFlow } from "./flow-store.ts";

export function createMemoryFlowStore(now: () => number, maxVersions: number): FlowStore {
  const flows = new Map<string, StoredFlow>();
  /** Newest first. */
  const histories = new Map<string, readonly FlowVersion[]>();
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
    stage: async ({ id, bytes, hash, params, tests, metadata }) => ({
      async commit() {
        const stored = { id, file: fileNameOf(id), bytes, hash, params, lastModified: now() };
        flows.set(id, stored);
        const history = histories.get(id) ?? [];
        const revision = (history[0]?.revision ?? 0) + 1;
        histories.set(
          id,
          [{ revision, bytes, hash, at: stored.lastModified, params: shownParams(params), tests, ...metadata }, ...history].slice(0, maxVersions),
        );
        return { file: stored.file, lastModified: stored.lastModified, revision, unflushed: undefined };
      },
      discard: async () => undefined,
    }),
    remove: async (id) => {
      histories.delete(id);
      return { found: flows.delete(id), unflushed: undefined };
    },
    versions: async (id) => histories.get(id) ?? [],
  };
}
