// Where flows are kept between starts. A change is staged first, so that everything that can fail has failed before the
// running version is touched, and then committed in one step.

/** A flow as it is kept: text bytes and parameters. */
export interface StoredFlow {
  readonly id: string;
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Lower-case hex SHA-256 of the bytes. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly params: StoredParams;
}

/** Parameters as given, flattened names to values. */
export type StoredParams = Readonly<Record<string, ParamValue>>;

export type ParamValue = { readonly value: string | number | boolean; readonly secret?: boolean } | { readonly env: string };

/** One YAML file of the store, whether it makes a flow or not. */
export interface FlowFile {
  readonly id: string;
  readonly file: string;
  readonly lastModified: number;
  /** Changes whenever the file does; cheap to compare. */
  readonly stamp: string;
  /** Why this file can be no flow whatever is in it. */
  readonly problem: string | undefined;
  readonly hasParams: boolean;
}

export interface FlowStore {
  list(): Promise<readonly FlowFile[]>;
  /** Undefined when there is no such flow. */
  read(id: string): Promise<StoredFlow | undefined>;
  /** As `read`, for a file that was just listed: spares looking for it. */
  readListed(file: FlowFile): Promise<StoredFlow | undefined>;
  /** Makes ready to install; nothing is visible until `commit`. Throws a StorageError when it cannot be kept. */
  stage(change: FlowChange): Promise<StagedFlow>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
}

export interface FlowChange {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly params: StoredParams;
}

export interface StagedFlow {
  /** Makes the change the one that is there, safe against loss of power once it resolves. */
  commit(): Promise<{ readonly file: string; readonly lastModified: number }>;
  /** Leaves everything as it was. */
  discard(): Promise<void>;
}

/** The disk does not take it. */
export class StorageError extends Error {
  readonly kind: "full" | "refused";

  constructor(kind: "full" | "refused", message: string, cause: unknown) {
    super(message, { cause });
    this.name = "StorageError";
    this.kind = kind;
  }
}
