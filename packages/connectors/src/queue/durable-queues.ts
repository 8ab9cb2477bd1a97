// The interface of the durable store for queues. The host provides the implementation; without one, using a queue fails.
import { FlowError, type Clock, type Host, type RouteIdentity } from "@sluice/engine/spi";
import type { StoredMessage } from "./stored-message.ts";

/** The part of the interface that every kind of store implements. */
export interface QueueAccess {
  /** Opens the store on first use. */
  open(): Promise<unknown>;
  /** The store if it is already open. */
  readonly current: { readonly maxMessageBytes: number } | undefined;
  /** False for a closed test session: its messages must not run as live ones. */
  isOpenSession(id: string): boolean;
}

export interface DurableQueues extends QueueAccess {
  /** Opens the store on first use; later calls return the same one. */
  open(): Promise<QueueStore>;
  /** The store if it is already open: saves a promise per message. */
  readonly current: QueueStore | undefined;
  /** In a cluster: the queues that all nodes share. The store on disk is not used then. */
  readonly shared?: SharedQueues | undefined;
}

export interface SharedQueues extends QueueAccess {
  /** A queue of this runtime, created for the first user of the name. */
  find(name: string, host: Pick<Host, "clock" | "log">): Queue;
}

/** A message that a consumer has taken and must settle. */
export interface ClaimedMessage {
  readonly id: string;
  /** Completed attempts. */
  readonly attempts: number;
  readonly message: StoredMessage;
}

/** A consumer; `wake` is called when a message is ready. */
export interface QueueSubscriber {
  /** Messages that it processes at a time. */
  readonly concurrency: number;
  wake(): void;
}

/** A queue for senders and consumers. */
export interface Queue {
  readonly name: string;
  readonly clock: Clock;
  /** True when this object holds no state and can be discarded. */
  readonly idle: boolean;
  readonly hasReady: boolean;
  /** Resolves with the message's id when it is stored. */
  put(message: StoredMessage, key: string | undefined, delayMs: number): Promise<string>;
  /** Only the newest consumer is served; older ones finish their messages. */
  subscribe(subscriber: QueueSubscriber): Promise<void>;
  unsubscribe(subscriber: QueueSubscriber): void;
  isActive(subscriber: QueueSubscriber): boolean;
  /** The next due message, if any; the caller must settle or return it. */
  take(): ClaimedMessage | undefined;
  /** True for a message that may have crashed a process. */
  isSuspect(claimed: ClaimedMessage): boolean;
  /** Records an attempt; false when that is not possible now and the message is delivered later. */
  begin(claimed: ClaimedMessage): Promise<boolean>;
  done(claimed: ClaimedMessage): void;
  deadLetter(claimed: ClaimedMessage, details: DeadLetterDetails): void;
  /** Postpones a message after a failed attempt. */
  retry(claimed: ClaimedMessage, attempts: number, delayMs: number): void;
  /** Returns a message as if it had not been taken. */
  requeue(claimed: ClaimedMessage, delayMs?: number): void;
  /** Called when a run that had timed out succeeds after all. */
  doneLate(claimed: ClaimedMessage): void;
}

/** Position of a message in its queue: ordered by due time, then by arrival. */
export interface Position {
  readonly due: number;
  readonly seq: number;
}

export interface QueuedMessage extends Position {
  readonly id: string;
  readonly key: string | undefined;
  /** Completed attempts. */
  readonly attempts: number;
  readonly size: number;
}

export interface Failure {
  readonly type: string;
  readonly message: string;
  readonly stepId: string | undefined;
  readonly routeId: string | undefined;
}

/** The data of a dead letter. */
export interface DeadLetterDetails {
  readonly route: RouteIdentity;
  readonly runId: string | undefined;
  readonly attempts: number;
  readonly failure: Failure;
}

/** Changes reject with a FlowError; it is retryable when the disk rejected the change, which may succeed later. */
export interface QueueStore {
  readonly maxMessageBytes: number;
  /** The time used for positions: wall-clock time that is strictly increasing. */
  now(): number;
  /** Resolves when the message is on disk; rejects with a FlowError when the queue is full. */
  put(queue: string, message: StoredMessage, options: { readonly key: string | undefined; readonly delayMs: number }): Promise<QueuedMessage>;
  /** Messages due up to `until`, after a position, in order; at most `limit`. */
  page(queue: string, after: Position | undefined, until: number, limit: number): readonly QueuedMessage[];
  /** When the first message after a position is due. */
  nextDue(queue: string, after: Position | undefined): number | undefined;
  read(seq: number): StoredMessage | undefined;
  /** Messages that wait for a retry and block the other messages of their key. */
  held(queue: string): ReadonlyMap<string, number>;
  /** True for a message that was queued when the process crashed: it may be the cause. */
  isSuspect(seq: number): boolean;
  /** Records an attempt before it starts. */
  begin(seq: number, attempt: number): Promise<void>;
  remove(queue: string, message: QueuedMessage): Promise<void>;
  /** Postpones a message after a failed attempt. */
  postpone(message: QueuedMessage, attempts: number, due: number): Promise<void>;
  /** Moves a message to the dead letters. */
  deadLetter(queue: string, message: QueuedMessage, details: DeadLetterDetails): Promise<void>;
  /** Messages waiting or in flight, by queue. */
  depths(): readonly { readonly name: string; readonly depth: number; readonly bytes: number }[];
}

const missing = (): FlowError => new FlowError("java.lang.IllegalStateException", "this runtime has no durable store", { code: "store-missing" });

export const noQueues: DurableQueues = { open: () => Promise.reject(missing()), current: undefined, isOpenSession: () => true };
