import type { DurableStore } from "./durable-store.ts";

/** The durable store in a process that does not own it; routes that need it run in the leader. */
export const unopenedStore: DurableStore = {
  open: () => Promise.reject(new Error("the durable store belongs to another process of this service")),
  current: undefined,
  problem: undefined,
  openExisting: () => Promise.resolve(undefined),
  close: () => Promise.resolve(),
};
