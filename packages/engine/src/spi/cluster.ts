// State shared by the nodes of a cluster: one small interface per kind of state. Types and one error class; no I/O.

/** A node's connection to the store of its cluster. */
export interface Cluster {
  /** Node name; stays the same after a restart. */
  readonly node: string;
  /** Boot id; new on every process start. */
  readonly boot: string;
  readonly records: Records;
  readonly claims: Claims;
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
  watch(collection: Collection, onChange: (change: RecordVersion) => void, onCaughtUp: (head: number) => void): { stop(): void };
  /** Newest first, including deletions; the number of versions depends on the collection. */
  versions(collection: Collection, id: string): Promise<readonly RecordVersion[]>;
}

/** `config` keeps a bounded history, `nodes` only the newest version. */
export type Collection = "config" | "nodes";

export interface Revision {
  readonly revision: number;
  /** Clock of the store, milliseconds since the epoch. */
  readonly at: number;
}

export interface RecordVersion extends Revision {
  readonly id: string;
  /** Undefined: deleted. */
  readonly bytes: Uint8Array | undefined;
}

/** Exclusive claims. Exactly one of all concurrent callers wins, even if nodes crash meanwhile. */
export interface Claims {
  claim(set: ClaimSet, key: string, note: Uint8Array): Promise<Claim>;
  /** Releases exactly this claim, whichever node owns it; a later claim of the same key is not affected. */
  release(claim: Claim): Promise<void>;
}

/** `slot` and `pin` last until released; in `hour` a key expires after one hour. */
export type ClaimSet = "slot" | "pin" | "hour";

export interface Claim {
  readonly set: ClaimSet;
  readonly key: string;
  readonly won: boolean;
  /** The winner's note. */
  readonly note: Uint8Array;
  /** Fencing token; increases with every claim. */
  readonly token: number;
}

/** Messages between nodes: at most once, nothing is stored. */
export interface Messaging {
  /** Sends to every other node. */
  publish(topic: string, payload: Uint8Array): void;
  /** Returns a function that ends the subscription. */
  subscribe(topic: string, handler: (payload: Uint8Array, from: string) => void): () => void;
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
