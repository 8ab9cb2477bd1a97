// The contract between the step `aggregate` and its repositories.
import type { Message } from "../exchange/message.ts";

/** The result of an aggregate's group so far. */
export interface AggregatedGroup {
  readonly message: Message;
  readonly properties: ReadonlyMap<string, unknown> | undefined;
  /** When it times out, in milliseconds since 1970; undefined for never. */
  readonly dueAt: number | undefined;
}

/** A group as it was read; `version` identifies this state of it. */
export interface StoredGroup extends AggregatedGroup {
  readonly version: number;
}

/** Open groups are stored under their keys, completed ones under an id until they are confirmed. */
export type GroupState = "open" | "completed";

/**
 * Stores the groups of an aggregate outside the process: the interface of a bean of kind `aggregation-repository`. `version` identifies the group
 * that the caller read, undefined when there was none; a call returns false and changes nothing when the stored group has a different version.
 */
export interface AggregationRepository {
  /** How completed groups whose run failed or did not end are processed again; undefined when they are not. */
  readonly recovery: { readonly intervalMs: number; readonly maximumRedeliveries: number; readonly deadLetterUri: string | undefined } | undefined;
  list(state: GroupState): Promise<readonly string[]>;
  get(state: GroupState, id: string): Promise<StoredGroup | undefined>;
  put(key: string, group: AggregatedGroup, version: number | undefined): Promise<boolean>;
  /** Removes an open group and stores it as completed, atomically. */
  complete(key: string, id: string, group: AggregatedGroup, version: number | undefined): Promise<boolean>;
  /** Removes a completed group after it was processed. */
  confirm(id: string): Promise<void>;
}
