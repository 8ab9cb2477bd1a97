// The dead letters of a runtime as the API and the writer use them: a table on this machine, or the shared ones of a cluster.
import type { Failure, StoredMessage } from "@sluice/connectors";
import type { Awaitable } from "@sluice/engine";
import type { Letter, LetterFacts, LetterFilter, LetterSummary } from "../store/dead-letter-table.ts";
import type { DurableStore } from "../store/durable-store.ts";

export interface DeadLetterStore {
  readonly count: number;
  readonly bytes: number;
  /** Resolves with the letter's id when it is stored. */
  add(message: StoredMessage, facts: LetterFacts): Promise<string>;
  /** Records another failed replay of a letter. */
  failedAgain(id: string, failure: Failure, runId: string | undefined): Promise<void>;
  /** Newest first; `total` counts all matches. */
  list(filter: LetterFilter, limit: number): { readonly letters: readonly LetterSummary[]; readonly total: number };
  /** Ids of matching letters, oldest first. */
  oldest(filter: LetterFilter, limit: number): readonly string[];
  find(id: string): Awaitable<Letter | undefined>;
  remove(id: string): Promise<boolean>;
  /** Removes all matching letters; resolves with their number. */
  removeAll(filter: LetterFilter): Promise<number>;
  /** Reserves a letter for a replay on this node; undefined while another node replays it. */
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
