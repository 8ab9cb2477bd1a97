// Persistent storage of flows. A change is staged first, so that errors occur before the running version is touched, and then committed
// in one step.

/** A stored flow: text bytes and parameters. */
export interface StoredFlow {
  readonly id: string;
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Lower-case hex SHA-256 of the bytes. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly params: StoredParams;
  /** Why the file was not read; bytes and hash are then empty. */
  readonly problem?: string | undefined;
}

/** Parameters by flattened name. */
export type StoredParams = Readonly<Record<string, ParamValue>>;

export type ParamValue = { readonly value: string | number | boolean; readonly secret?: boolean } | { readonly env: string };

/** A YAML file of the store, valid or not. */
export interface FlowFile {
  readonly id: string;
  readonly file: string;
  readonly lastModified: number;
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** Why this file cannot be a flow, regardless of its content. */
  readonly problem: string | undefined;
  /** The file must not be read. */
  readonly unreadable?: boolean;
  readonly hasParams: boolean;
}

export interface FlowStore {
  list(): Promise<readonly FlowFile[]>;
  /** Undefined when there is no such flow. */
  read(id: string): Promise<StoredFlow | undefined>;
  /** Like `read`, for a file that was just listed. */
  readListed(file: FlowFile): Promise<StoredFlow | undefined>;
  /** Prepares a change; nothing is visible until `commit`. Throws a StorageError when it cannot be stored. */
  stage(change: FlowChange): Promise<StagedFlow>;
  /** Removes the flow and its history. */
  remove(id: string): Promise<Removal>;
  /** The history of a flow, newest first: a bounded number of versions, the newest always included. */
  versions(id: string): Promise<readonly FlowVersion[]>;
}

/** Who changed a flow, and why. */
export interface VersionMetadata {
  /** Undefined for a file that was changed outside the API. */
  readonly by?: string | undefined;
  readonly comment?: string | undefined;
  /** The revision whose content was deployed again. */
  readonly restoredFrom?: number | undefined;
}

/** One version of a flow, as it was deployed. */
export interface FlowVersion extends VersionMetadata {
  /** Counts the versions of this flow from 1. */
  readonly revision: number;
  readonly bytes: Uint8Array;
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** As returned by the API: the values of secrets are not part of the history. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The flow's tests; null without tests, undefined when unknown. */
  readonly tests?: string | null | undefined;
}

/** Set when a change was made but not flushed: it may be lost in a power failure. */
export type Unflushed = StorageError | undefined;

export interface Removal {
  /** False when there was nothing to remove. */
  readonly found: boolean;
  readonly unflushed: Unflushed;
}

export interface FlowChange {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly params: StoredParams;
  /** The tests that belong to this version; null without tests. */
  readonly tests: string | null;
  readonly metadata: VersionMetadata;
}

export interface StagedFlow {
  /** Makes the change effective. If it rejects, nothing has changed. */
  commit(): Promise<{ readonly file: string; readonly lastModified: number; readonly revision: number; readonly unflushed: Unflushed }>;
  /** Abandons the change. */
  discard(): Promise<void>;
}

/** The disk rejected a change. */
export class StorageError extends Error {
  readonly kind: "full" | "refused";
  /** A disk failure, as opposed to a full or read-only disk. */
  readonly isFault: boolean;

  constructor(kind: "full" | "refused", message: string, { cause, isFault = false }: { readonly cause?: unknown; readonly isFault?: boolean } = {}) {
    super(message, { cause });
    this.name = "StorageError";
    this.kind = kind;
    this.isFault = isFault;
  }
}
