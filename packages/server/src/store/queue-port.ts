import type { DurableQueues, SharedQueues } from "@sluice/connectors";
import type { DurableStore } from "./durable-store.ts";

/** The store as the queue connector uses it; `shared` are the queues of a cluster. */
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
