import type { DurableQueues } from "@sluice/connectors";
import type { DurableStore } from "./durable-store.ts";

/** The store as the queue connector uses it. */
export function queuePort(store: DurableStore, isOpenSession: (id: string) => boolean): DurableQueues {
  return {
    open: async () => (await store.open()).queues,
    get current() {
      return store.current?.queues;
    },
    isOpenSession,
  };
}
