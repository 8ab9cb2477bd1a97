import type { DurableQueues, SharedQueues } from "@sluice/connectors";
import type { DurableStore } from "./durable-store.ts";

/** Adapts the store to the queue connector; `shared` holds the cluster's queues. */
export function queuePort(store: DurableStore, isOpenSession: (id: string) => boolean, shared?: SharedQueues): DurableQueues {
  return {
    open: async () => (await store.open()).queues,
    get current() {
      return store.current?.queues;
    },
    isOpenSession,
    shared,
  };
}
