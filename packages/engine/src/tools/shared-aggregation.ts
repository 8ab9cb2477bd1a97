// The contract between the step `aggregate` and messages that several processes share: every process adds messages, one of them groups them.
import type { Exchange } from "../exchange/exchange.ts";
import type { Message } from "../exchange/message.ts";
import type { Lifecycle } from "../spi/compiler.ts";

/** A message of an aggregate as it was stored. */
export interface StoredPart {
  readonly id: string;
  /** The key of its group; undefined for a request to complete all groups. */
  readonly key: string | undefined;
  readonly message: Message;
  readonly properties: Map<string, unknown>;
}

/** A completed group: its key, the reason, and the ids of its messages in order. */
export interface PartGroup {
  readonly key: string;
  readonly by: string;
  readonly ids: readonly string[];
}

/** The outcome of the run of a completed group. */
export interface GroupRun {
  /** How many times the group was started before, by processes that ended. */
  readonly repeated: number;
  /** The group was processed: removes its messages. */
  done(): void;
  /** The run was cancelled: the group runs again. */
  rerun(): void;
}

/** Groups messages in this process. */
export interface PartReceiver {
  /** Drops all open groups: another process groups the messages, or this one begins again. */
  reset(): void;
  receive(part: StoredPart): void;
  /** Runs a completed group whose process ended. */
  rerun(group: PartGroup, parts: readonly StoredPart[], run: GroupRun): void;
  /** Completes the open groups where the options of the step require it. */
  finish(): Promise<void>;
}

/** The messages of one aggregate. While it is started in several processes, one of them receives the messages. */
export interface PartQueue extends Lifecycle {
  /** Resolves when the message is stored. Without a key, it is a request to complete all groups. */
  put(key: string | undefined, exchange: Exchange): Promise<void>;
  /** Records the group before it runs; undefined when another process groups these messages now. */
  complete(group: PartGroup): Promise<GroupRun | undefined>;
  /** Removes messages that belong to no group. */
  discard(ids: readonly string[]): void;
}

/** The interface of a bean of kind `aggregation-repository` whose messages several processes share. */
export interface SharedAggregation {
  /** Messages of all open groups that one process can hold; above that the oldest group must be completed. */
  readonly maxMessages: number;
  share(step: { readonly flowId: string; readonly routeId: string; readonly stepId: string }, receiver: PartReceiver): PartQueue;
}
