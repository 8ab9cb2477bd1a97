import type { DurableStore } from "./durable-store.ts";

/** The durable store as a process sees that does not own it: whatever needs it runs in the one that does. */
export const unopenedStore: DurableStore = {
  open: () => Promise.reject(new Error("the durable store belongs to another process of this service")),
  current: undefined,
  openExisting: () => Promise.resolve(undefined),
  close: () => Promise.resolve(),
};
