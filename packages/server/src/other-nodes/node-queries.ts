// Queries of the management API to the other nodes of a cluster, and the handlers on each node.
import type { Awaitable } from "@sluice/engine";
import type { LocalReply } from "../http/local-call.ts";
import type { FoundRuns, WorkerMetrics } from "../other-workers/worker-metrics.ts";
import type { RunFilter } from "../runs/run-history.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import type { EventHub } from "../streams/event-hub.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";

/** A node that did not respond. */
export interface MissingResponse {
  readonly node: string;
  readonly reason: string;
}

/** An item that only one node has. */
export interface OwnedItem {
  readonly kind: "run" | "session" | "dead-letter-replay";
  readonly id: string;
}

/** A call of the management API that another node executes. */
export interface ForwardedCall {
  readonly method: string;
  /** With its query: `/_api/runs?limit=5`. */
  readonly path: string;
  readonly body: unknown;
}

export interface NodeQueries {
  /** The name of this node. */
  readonly node: string;
  /** Runs of the other nodes. */
  runs(filter: RunFilter): Promise<{ readonly found: readonly FoundRuns[]; readonly incomplete: readonly MissingResponse[] }>;
  metrics(): Promise<{ readonly present: readonly WorkerMetrics[]; readonly incomplete: readonly MissingResponse[] }>;
  /** Resolves when the other nodes forward the events that match. */
  watch(hub: EventHub, query: FilterQuery): Promise<void>;
  /** Executes a call on the other node that has the item; `reply` is undefined when no other node has it. */
  callOwner(item: OwnedItem, call: ForwardedCall): Promise<{ readonly reply: LocalReply | undefined; readonly incomplete: readonly MissingResponse[] }>;
  callNode(node: string, call: ForwardedCall): Promise<LocalReply>;
  /** Executes a call on all other nodes. */
  callAll(call: ForwardedCall): Promise<{ readonly replies: readonly LocalReply[]; readonly incomplete: readonly MissingResponse[] }>;
}

/** The parts of this node that respond to the other nodes. */
export interface ResponderParts {
  has(item: OwnedItem): Awaitable<boolean>;
  readonly sessions: TestSessions;
  runs(filter: RunFilter): Promise<FoundRuns>;
  metrics(): WorkerMetrics;
  call(call: ForwardedCall): Promise<LocalReply>;
  readonly hubs: { readonly trace: EventHub; readonly log: EventHub };
}
