/** Named JSON documents that outlive the process: tables, mapping documents. */
export interface DocumentStore {
  /** Every document found, by id; unreadable ones with the reason instead of a value. */
  list(): Promise<readonly (StoredDocument | BrokenDocument)[]>;
  /** Undefined when there is none. */
  read(id: string): Promise<StoredDocument | BrokenDocument | undefined>;
  /** Keeps it, safe against loss of power once it resolves. Throws a StorageError when it cannot be kept. */
  write(id: string, text: string): Promise<{ readonly hash: string; readonly lastModified: number }>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
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
