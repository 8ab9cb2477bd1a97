// Dead-letter storage used by the API and the writer: a local table, or the cluster's shared store.
import type { Failure, StoredMessage } from "@sluice/connectors";
import type { Awaitable } from "@sluice/engine";
import type { DeadLetter, DeadLetterMetadata, DeadLetterFilter, DeadLetterSummary } from "../store/dead-letter-table.ts";
import type { DurableStore } from "../store/durable-store.ts";

export interface DeadLetterStore {
  readonly count: number;
  readonly bytes: number;
  /** Resolves with the dead letter's id when it is stored. */
  add(message: StoredMessage, metadata: DeadLetterMetadata): Promise<string>;
  /** Records another failed replay of a dead letter. */
  recordFailedReplay(id: string, failure: Failure, runId: string | undefined): Promise<void>;
  /** Newest first; `total` counts all matches. */
  list(filter: DeadLetterFilter, limit: number): { readonly letters: readonly DeadLetterSummary[]; readonly total: number };
  /** Ids of matching dead letters, oldest first. */
  oldestIds(filter: DeadLetterFilter, limit: number): readonly string[];
  find(id: string): Awaitable<DeadLetter | undefined>;
  remove(id: string): Promise<boolean>;
  /** Removes all matching dead letters; resolves with their number. */
  removeAll(filter: DeadLetterFilter): Promise<number>;
  /** Reserves a dead letter for a replay on this node; undefined while another node replays it. */
  reserve?(id: string): Promise<(() => Promise<void>) | undefined>;
}

export interface DeadLetterSource {
  open(): Promise<DeadLetterStore>;
  /** Undefined when nothing was stored yet. */
  openExisting(): Promise<DeadLetterStore | undefined>;
}

export const localDeadLetters = (store: DurableStore): DeadLetterSource => ({
  open: async () => (await store.open()).deadLetters,
  openExisting: async () => (await store.openExisting())?.deadLetters,
});
