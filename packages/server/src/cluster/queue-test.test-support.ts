// The operations of a test of the contract on its own queue.
import { randomUUID } from "node:crypto";
import type { Cluster, Consumption, QueueContent, QueueDelivery } from "@sluice/engine";
import { bytes, text, type CheckContext } from "./contract-stores.test-support.ts";

export const content = (body: string): QueueContent => ({ kind: "text", envelope: '{"own":{"name":"ä"}}', body: bytes(body) });
export const bodyOf = ({ message }: QueueDelivery): string => text(message.body) as string;

export function queueTest({ nodes, expect }: CheckContext) {
  const queue = `work/${randomUUID()} ä`;
  const put = (cluster: Cluster, body: string, options: { readonly key?: string; readonly delayMs?: number; readonly id?: string } = {}): Promise<void> =>
    cluster.queues.put(queue, content(body), { id: randomUUID(), key: undefined, delayMs: 0, ...options });
  /** Consumes the queue; messages with a key are ordered on the node with a token. */
  const consume = (
    cluster: Cluster,
    deliver: (delivery: QueueDelivery) => void,
    { concurrency = 10, keyToken }: { readonly concurrency?: number; readonly keyToken?: () => number | undefined } = {},
  ): Consumption => cluster.queues.consume(queue, { concurrency: () => concurrency, keyToken: keyToken ?? (() => undefined), deliver });
  const depth = async (cluster: Cluster): Promise<number> => (await cluster.queues.depths()).find((entry) => entry.queue === queue)?.depth ?? 0;
  /** A message of another queue is stored and delivered: what the node was about to receive has arrived. */
  const serveAnother = async (cluster: Cluster): Promise<void> => {
    const another = `another/${randomUUID()}`;
    const received = new Promise<QueueDelivery>((resolve) =>
      cluster.queues.consume(another, { concurrency: () => 1, keyToken: () => undefined, deliver: resolve }),
    );
    await cluster.queues.put(another, content("x"), { id: randomUUID(), key: undefined, delayMs: 0 });
    await (await received).done();
  };
  /** A lease that was granted after this call has ended: the message of a node that died is delivered to the given node. */
  const leaseEnded = async (cluster: Cluster): Promise<void> => {
    const another = `lease/${randomUUID()}`;
    const taken = (by: Cluster): Promise<QueueDelivery> =>
      new Promise((resolve) => by.queues.consume(another, { concurrency: () => 1, keyToken: () => undefined, deliver: resolve }));
    const [dead] = await nodes(1);
    const first = taken(dead);
    await cluster.queues.put(another, content("x"), { id: randomUUID(), key: undefined, delayMs: 0 });
    await first;
    await dead.close();
    await (await taken(cluster)).done();
  };
  return { nodes, expect, queue, put, consume, depth, serveAnother, leaseEnded };
}
