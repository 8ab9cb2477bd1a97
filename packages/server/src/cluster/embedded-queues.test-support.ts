// The queues of a runtime without a cluster behind the cluster interface, so that the contract of queues is checked on them too. All nodes of a
// "cluster" are handles of one process: closing one ends the process, and the next use starts another one on the same files.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkQueue, type Queue, type QueueSubscriber, type StoredMessage, type ClaimedMessage } from "@sluice/connectors";
import type { Cluster, Consumption, QueueDelivery, QueueReceiver } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { createIds } from "../host/ulid.ts";
import { createDurableStore, type DurableStore } from "../store/durable-store.ts";
import { queuePort } from "../store/queue-port.ts";

const log = { write: () => undefined, enabled: () => false };
/** SERVICE_QUEUE_BYTES in tests of the contract. */
export const queueLimit = 16 * 1024 ** 2;
const limits = { queueBytes: queueLimit, maxMessageBytes: queueLimit, deadLetters: 100, deadLetterBytes: queueLimit };

interface Process {
  readonly store: DurableStore;
  readonly queues: Map<string, Queue>;
}

export interface EmbeddedRuntime {
  node(name: string): Pick<Cluster, "node" | "boot" | "queues" | "close">;
  end(): Promise<void>;
}

export function embeddedRuntime(): EmbeddedRuntime {
  const directory = mkdtempSync(join(tmpdir(), "sluice-embedded-"));
  let running: Process | undefined;
  const current = (): Process =>
    (running ??= { store: createDurableStore({ directory, clock: systemClock, ids: createIds(() => Date.now()), log, limits }), queues: new Map() });
  const end = async (): Promise<void> => {
    const ended = running;
    running = undefined;
    await ended?.store.close();
  };
  const find = (name: string): Queue => {
    const { store, queues } = current();
    const queue =
      queues.get(name) ??
      new WorkQueue(
        name,
        queuePort(store, () => true),
        systemClock,
        log,
      );
    queues.set(name, queue);
    return queue;
  };
  return {
    node: (name) => ({
      node: name,
      boot: name,
      queues: {
        put: (queue, message, { key, delayMs }) =>
          find(queue)
            .put(message as StoredMessage, key, delayMs)
            .then(() => undefined),
        consume: (queue, receiver) => consume(find(queue), receiver),
        depths: async () => (await current().store.open()).queues.depths().map(({ name: queue, depth }) => ({ queue, depth, bytes: undefined })),
      },
      close: end,
    }),
    async end() {
      await end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function consume(queue: Queue, receiver: QueueReceiver): Consumption {
  let unsettled = 0;
  let onSettled = (): void => undefined;
  const take = (): void => {
    while (unsettled < receiver.concurrency() && queue.isActive(subscriber)) {
      const claimed = queue.take();
      if (claimed === undefined) return;
      unsettled++;
      receiver.deliver(deliveryOf(claimed));
    }
  };
  // Deferred, because a queue calls `wake` while its own state changes.
  const subscriber: QueueSubscriber = { concurrency: 1, wake: () => setImmediate(take) };
  const deliveryOf = (claimed: ClaimedMessage & { readonly key?: string | undefined }): QueueDelivery => {
    let isSettled = false;
    const settle = (change: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      unsettled--;
      change();
      onSettled();
      setImmediate(take);
    };
    return {
      id: claimed.id,
      key: claimed.key,
      message: claimed.message,
      attempt: claimed.attempts + 1,
      done: async () => settle(() => queue.done(claimed)),
      retry: (delayMs) => settle(() => queue.retry(claimed, claimed.attempts + 1, delayMs)),
      requeue: () => settle(() => queue.requeue(claimed)),
    };
  };
  void queue.subscribe(subscriber);
  return {
    refresh: take,
    keysSettled: async () => undefined,
    async stop() {
      queue.unsubscribe(subscriber);
      if (unsettled > 0) await new Promise<void>((resolve) => (onSettled = () => void (unsettled === 0 && resolve())));
    },
  };
}
