// State shared by the nodes of a cluster: one small interface per kind of state. Types and one error class; no I/O.
import type { Awaitable } from "./processor.ts";

/** A node's connection to the store of its cluster. */
export interface Cluster {
  /** Node name; stays the same after a restart. */
  readonly node: string;
  /** Boot id; new on every process start. */
  readonly boot: string;
  readonly records: Records;
  readonly claims: Claims;
  readonly queues: Queues;
  readonly messaging: Messaging;
  close(): Promise<void>;
}

/** Documents in collections. The changes of a collection have one order; every node sees them in that order. */
export interface Records {
  /** The newest version; undefined when it does not exist or was deleted. */
  read(collection: Collection, id: string): Promise<RecordVersion | undefined>;
  /**
   * Resolves when the store has acknowledged the change and this node's own `watch` has reported it. `undefined` deletes the record. With
   * `expect.head`, writes only if nothing in the collection changed since that revision (else "conflict").
   */
  write(collection: Collection, id: string, bytes: Uint8Array | undefined, expect?: { readonly head: number }): Promise<Revision>;
  /**
   * Reports all existing records, then calls `onCaughtUp(head)` once, then reports every change, in order and never repeated, until stopped; survives
   * lost connections. If a record in a collection without history changes several times, possibly only the last change is reported.
   */
  watch(collection: WatchedCollection, onChange: (change: RecordVersion) => void, onCaughtUp: (head: number) => void): { stop(): void };
  /** Newest first, including deletions; the number of versions depends on the collection. */
  versions(collection: Collection, id: string): Promise<readonly RecordVersion[]>;
}

/**
 * `config` keeps a bounded history, the others only the newest version. `dead-letter-messages` is not watched: its records are large, and are read one by
 * one.
 */
export type Collection = WatchedCollection | "dead-letter-messages";

/** `groups`: the completed groups of aggregates that are being processed; `sagas`: the sagas that have not ended. */
export type WatchedCollection = "config" | "nodes" | "dead-letters" | "groups" | "sagas";

export interface Revision {
  readonly revision: number;
  /** Clock of the store, milliseconds since the epoch. */
  readonly at: number;
}

export interface RecordVersion extends Revision {
  readonly id: string;
  /** Undefined when the record was deleted. */
  readonly bytes: Uint8Array | undefined;
}

/** Exclusive claims. Exactly one of all concurrent callers wins, even if nodes crash meanwhile. */
export interface Claims {
  claim(set: ClaimSet, key: string, note: Uint8Array): Promise<Claim>;
  /** Releases exactly this claim, whichever node owns it; a later claim of the same key is not affected. */
  release(claim: Claim): Promise<void>;
}

/** `slot` and `pin` last until released; in `hour` and `day` a key expires after one hour or one day. */
export type ClaimSet = "slot" | "pin" | "hour" | "day";

export interface Claim {
  readonly set: ClaimSet;
  readonly key: string;
  readonly won: boolean;
  /** The winner's note. */
  readonly note: Uint8Array;
  /** Fencing token; increases with every claim. */
  readonly token: number;
}

/** Durable queues: at least once. Messages with the same key are delivered one at a time, in the order they were put. */
export interface Queues {
  /** Resolves when the store has acknowledged the message. Repeating a put with the same id while the message is unsettled does not store it twice. */
  put(queue: string, message: QueueContent, options: PutOptions): Promise<void>;
  /** Delivers messages of the queue to this node; all nodes that consume a queue compete for its messages. */
  consume(queue: string, consumer: QueueReceiver): Consumption;
  /** Messages of each queue that are not settled, without delayed ones; `bytes` only if the store counts them. */
  depths(): Promise<readonly QueueDepth[]>;
}

export interface QueueDepth {
  readonly queue: string;
  readonly depth: number;
  readonly bytes: number | undefined;
}

/** A message as the store holds it; only the node that processes it reads the contents. */
export interface QueueContent {
  readonly kind: string;
  readonly envelope: string;
  readonly body: Uint8Array;
}

export interface PutOptions {
  /** The id of the message; the same for every delivery. */
  readonly id: string;
  readonly key: string | undefined;
  readonly delayMs: number;
}

export interface QueueReceiver {
  /** Deliveries that may be unsettled on this node at a time; 0 while another node may have taken over: messages that arrive then are left to that node. */
  concurrency(): number;
  /**
   * Defined on one node at a time: a store that cannot order keys across nodes delivers messages with a key only to that node. The number changes
   * after each interruption.
   */
  keyToken(): number | undefined;
  /**
   * True when one node at a time consumes the queue and holds many messages for a long time. Each message has its own key. A node that starts to
   * consume gets all messages, in order, including those that another node has not settled; attempts are not counted.
   */
  readonly isExclusive?: boolean;
  deliver(delivery: QueueDelivery): void;
}

/** A message on this node. It is delivered again, on any node, if this node dies or does not renew its lease. A second call to a method is ignored. */
export interface QueueDelivery {
  readonly id: string;
  readonly key: string | undefined;
  readonly message: QueueContent;
  /** Starts at 1; includes attempts in which the process died. */
  readonly attempt: number;
  /** Removes the message; resolves when it is removed, or when the removal failed permanently. */
  done(): Promise<void>;
  /** Delivers it again after a failed attempt; with a key, the later messages of the key wait. */
  retry(delayMs: number): void;
  /** Delivers it again as if it had not been delivered. */
  requeue(): void;
}

export interface Consumption {
  /** Call when `concurrency` or `keyToken` may have changed. */
  refresh(): void;
  /** Resolves when another node may deliver messages with a key: none is unsettled here, or the store orders them itself. */
  keysSettled(): Promise<void>;
  /** Stops the deliveries; resolves when those on this node are settled. */
  stop(): Promise<void>;
}

/** Messages between nodes: at most once, nothing is stored. */
export interface Messaging {
  /** Sends to every other node. */
  publish(topic: string, payload: Uint8Array): void;
  /** Returns a function that ends the subscription. */
  subscribe(topic: string, handler: (payload: Uint8Array, from: string) => void): () => void;
  /** Sends a request to other nodes by name; resolves when all of them have responded, at the latest after `timeoutMs`. */
  request(topic: string, payload: Uint8Array, options: RequestOptions): Promise<Responses>;
  /** Responds to the requests of other nodes; a node has one responder per topic. The reason of a failed request is the message of the error. */
  respond(topic: string, responder: (payload: Uint8Array, from: string) => Awaitable<Uint8Array>): () => void;
}

export interface RequestOptions {
  readonly to: readonly string[];
  readonly timeoutMs: number;
  /** Limit of each response. A node does not send a larger one. */
  readonly maxBytes: number;
  /** Ends the request; nodes that have not responded are in `failed`. */
  readonly signal?: AbortSignal;
}

export interface Responses {
  readonly responses: ReadonlyMap<string, Uint8Array>;
  /** Nodes without a response, with the reason. */
  readonly failed: ReadonlyMap<string, string>;
}

export type ClusterErrorKind = "conflict" | "unreachable" | "uncertain" | "full" | "too-large" | "closed" | "misconfigured";

/** `unreachable`: certainly not stored; `uncertain`: unknown whether it was stored; `misconfigured`: fails until a setting is changed. */
export class ClusterError extends Error {
  readonly kind: ClusterErrorKind;

  constructor(kind: ClusterErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ClusterError";
    this.kind = kind;
  }
}

export const isClusterError = (error: unknown): error is ClusterError => error instanceof Error && error.name === "ClusterError";
