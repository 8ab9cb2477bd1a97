// The port to the durable store, as queues need it. Whoever runs the connectors gives an implementation; without one a
// queue says so when it is first used.
import { FlowError, type RouteIdentity } from "@sluice/engine/spi";
import type { StoredMessage } from "./stored-message.ts";

export interface DurableQueues {
  /** Opens the store when it is first needed; later calls answer with the same one. */
  open(): Promise<QueueStore>;
  /** The store if it is open already: saves a promise per message. */
  readonly current: QueueStore | undefined;
  /** False for a test session that is over: its messages must not run for real. */
  isOpenSession(id: string): boolean;
}

/** Where a message stands in its queue: ordered by when it is due, then by when it came. */
export interface Position {
  readonly due: number;
  readonly seq: number;
}

export interface QueuedMessage extends Position {
  readonly id: string;
  readonly key: string | undefined;
  /** Tries that are over. */
  readonly attempts: number;
  readonly size: number;
}

export interface Failure {
  readonly type: string;
  readonly message: string;
  readonly stepId: string | undefined;
  readonly routeId: string | undefined;
}

/** What is told about a message that is given up. */
export interface Burial {
  readonly route: RouteIdentity;
  readonly runId: string | undefined;
  readonly attempts: number;
  readonly failure: Failure;
}

export interface QueueStore {
  readonly maxMessageBytes: number;
  /** The time positions are told in: the wall clock's, but it never goes back and never stands still. */
  now(): number;
  /** Resolves when the message is on disk; rejects with a FlowError when there is no room for it. */
  put(queue: string, message: StoredMessage, place: { readonly key: string | undefined; readonly delayMs: number }): Promise<QueuedMessage>;
  /** What is due up to `until`, after a position, in order; at most `limit`. */
  page(queue: string, after: Position | undefined, until: number, limit: number): readonly QueuedMessage[];
  /** When the first message after a position is due. */
  nextDue(queue: string, after: Position | undefined): number | undefined;
  read(seq: number): StoredMessage | undefined;
  /** The messages that were tried before and hold up the rest of their key. */
  held(queue: string): ReadonlyMap<string, number>;
  /** True for a message that was there when the process ended without saying so: it may be what ended it. */
  isSuspect(seq: number): boolean;
  /** Notes a try before it begins. */
  begin(seq: number, attempt: number): Promise<void>;
  remove(queue: string, message: QueuedMessage): Promise<void>;
  /** Puts a message off after a failed try. */
  again(message: QueuedMessage, attempts: number, due: number): Promise<void>;
  /** Moves a message to the dead letters. */
  bury(queue: string, message: QueuedMessage, burial: Burial): Promise<void>;
  /** Messages that wait or are being worked on, by queue. */
  depths(): readonly { readonly name: string; readonly depth: number; readonly bytes: number }[];
}

const missing = (): FlowError => new FlowError("java.lang.IllegalStateException", "this runtime has no durable store", { code: "store-missing" });

export const noQueues: DurableQueues = { open: () => Promise.reject(missing()), current: undefined, isOpenSession: () => true };
