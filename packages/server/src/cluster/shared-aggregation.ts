// Replaces the in-memory repository of aggregates in a cluster: the nodes share the messages of open groups.
import type { StoredMessage } from "@sluice/connectors";
import type { BeanDeclaration, Cluster, Ids, Log } from "@sluice/engine";
import type { SharedAggregation } from "@sluice/engine/tools";
import { GroupLog } from "./group-log.ts";
import type { RecordCipher } from "./record-cipher.ts";
import { ClusterPartQueue } from "./cluster-part-queue.ts";

export interface SharedAggregationParts {
  readonly cluster: Cluster;
  readonly cipher: RecordCipher;
  readonly log: Log;
  readonly ids: Ids;
  readonly maxMessageBytes: number;
  put(queue: string, message: StoredMessage): Promise<void>;
  isDead(boot: string): boolean;
  /** The token of the slot of a flow, while this node holds it. */
  tokenOf(flowId: string): number | undefined;
}

/** Maximum number of messages on one node. The stores deliver at most 10,000 unsettled ones. */
const maxMessages = 9_500;
/** Maximum number of messages in open groups; the rest is for groups that run. */
const maxOpenMessages = 9_000;

export class SharedAggregations {
  readonly #parts: SharedAggregationParts;
  readonly #groups: GroupLog;
  readonly #started = new Map<string, Set<ClusterPartQueue>>();

  constructor(parts: SharedAggregationParts) {
    this.#parts = parts;
    this.#groups = new GroupLog(parts.cluster, parts.cipher, parts.log, (queue) => {
      for (const partQueue of this.#started.get(queue) ?? []) partQueue.refresh();
    });
  }

  /** Replaces the in-memory aggregation repository. */
  shareIn(beans: Map<string, BeanDeclaration>): void {
    const memory = beans.get("MemoryAggregationRepository");
    if (memory === undefined) return;
    const shared: BeanDeclaration = { ...memory, create: (): SharedAggregation => ({ maxMessages: maxOpenMessages, share: this.#share }) };
    for (const name of memory.names) beans.set(name, shared);
  }

  /** Call when slots may have changed, and periodically, because nodes may die. */
  refresh(): void {
    for (const all of this.#started.values()) for (const partQueue of all) partQueue.refresh();
  }

  close(): void {
    this.#groups.close();
  }

  readonly #share: SharedAggregation["share"] = ({ flowId, routeId, stepId }, receiver) => {
    const queue = `~agg/${flowId}/${routeId}/${stepId}`;
    const { tokenOf } = this.#parts;
    const started = this.#started.get(queue) ?? new Set();
    this.#started.set(queue, started);
    return new ClusterPartQueue(queue, receiver, {
      ...this.#parts,
      groups: this.#groups,
      maxMessages,
      token: () => tokenOf(flowId),
      started: (parts) => {
        const earlier = [...started].map(({ ended }) => ended);
        started.add(parts);
        return Promise.all(earlier);
      },
      stopped: (parts) => void started.delete(parts),
    });
  };
}
