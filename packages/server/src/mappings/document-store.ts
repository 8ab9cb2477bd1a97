import type { Removal, Unflushed } from "../flows/flow-store.ts";

/** Persistent named JSON documents: tables, mapping documents, connections, states of routes. */
export interface DocumentStore {
  /** Why a document disappeared without being removed here; by default, because its file was deleted. */
  removalReason?(id: string): string | undefined;
  /** All documents by id; unreadable ones with the reason instead of a value. */
  list(): Promise<readonly (StoredDocument | BrokenDocument)[]>;
  /** Undefined when it does not exist. */
  read(id: string): Promise<StoredDocument | BrokenDocument | undefined>;
  /** Throws a ServiceError for a document that must not be stored. */
  check?(id: string, value: unknown): void;
  /** Writes a document. Throws a StorageError when it cannot be stored. */
  write(id: string, text: string): Promise<{ readonly hash: string; readonly lastModified: number; readonly unflushed: Unflushed }>;
  remove(id: string): Promise<Removal>;
}

export interface StoredDocument {
  readonly id: string;
  readonly value: unknown;
  /** SHA-256 of the file. */
  readonly hash: string;
  readonly lastModified: number;
}

export interface BrokenDocument extends Omit<StoredDocument, "value"> {
  readonly problem: string;
}
