import { defineBean, type IdempotentRepository } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { OldestKey } from "../oldest-key.ts";

/** Keeps the newest keys in memory; the oldest is evicted first. */
export function memoryIdempotentRepository(cacheSize: number): IdempotentRepository {
  const keys = new Set<string>();
  const oldest = new OldestKey(keys);
  return {
    add(key) {
      if (keys.has(key)) return false;
      keys.add(key);
      if (keys.size > cacheSize) keys.delete(oldest.next() as string);
      return true;
    },
    contains: (key) => keys.has(key),
    remove: (key) => void keys.delete(key),
    confirm: () => undefined,
    forSessions: () => memoryIdempotentRepository(cacheSize),
  };
}

export const memoryRepository = defineBean({
  names: [
    "org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository",
    "org.apache.camel.processor.idempotent.MemoryIdempotentRepository",
    "MemoryIdempotentRepository",
    "memoryIdempotentRepository",
  ],
  kind: "idempotent-repository",
  title: "Memory repository",
  summary: "Stores keys in memory while the flow is deployed. In a cluster, the keys are shared by all nodes: the cluster store keeps each key for one day.",
  group: "repository",
  since: "0.1",
  properties: {
    cacheSize: f.integer({ doc: "Maximum number of keys; the oldest is evicted first. Not used for shared keys.", default: 1000, min: 1, max: 10_000_000 }),
    perNode: f.boolean({ doc: "In a cluster: each node stores its own keys in memory instead of sharing them.", default: false }),
  },
  create: ({ cacheSize }) => memoryIdempotentRepository(cacheSize),
});
