// An in-memory implementation of the cluster interface: the model that the contract suite compares the stores with, and a store for tests of the code
// that uses the interface.
import {
  ClusterError,
  type Claim,
  type ClaimSet,
  type Cluster,
  type Collection,
  type QueueContent,
  type QueueReceiver,
  type RecordVersion,
} from "@sluice/engine";
import { NodeRequests } from "./node-requests.ts";
import { settleOnce } from "./unsettled.ts";

interface Change {
  readonly collection: Collection;
  readonly version: RecordVersion;
}

interface QueuedMessage {
  readonly id: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly message: QueueContent;
  availableAt: number;
  attempts: number;
  /** The boot id of the node that holds it. */
  holder: string | undefined;
}

interface Consumer extends QueueReceiver {
  readonly boot: string;
  readonly queue: string;
}

/** Creates a store; each call of the returned function opens a node. */
export function memoryCluster(maxVersions = 10): (node: string) => Cluster {
  const changes: Change[] = [];
  const heads = new Map<Collection, number>();
  const watches = new Set<{ readonly collection: Collection; readonly onChange: (change: RecordVersion) => void }>();
  const claims = new Map<string, Claim>();
  const handlers = new Set<{ readonly node: string; readonly topic: string; readonly handler: (payload: Uint8Array, from: string) => void }>();
  const queued: QueuedMessage[] = [];
  const putIds = new Set<string>();
  const consumers = new Set<Consumer>();
  const requestsOf = new Map<string, NodeRequests>();
  let token = 0;
  let boots = 0;

  const isHeadOfKey = (entry: QueuedMessage): boolean =>
    entry.key === undefined || queued.find((other) => other.queue === entry.queue && other.key === entry.key) === entry;
  /** The holder of a message. A consumer that takes over a queue also receives the messages that its node held before. */
  const holderOf = (consumer: Consumer): string => (consumer.isExclusive === true ? `${consumer.boot}/${consumer.keyToken()}` : consumer.boot);
  const heldBy = (boot: string, queue: string): readonly QueuedMessage[] => queued.filter((entry) => entry.holder === boot && entry.queue === queue);
  // real time: the due times of delayed messages; a fake clock replaces it.
  const now = (): number => performance.now();
  const dueAfter = (delayMs: number): number => {
    // real time: as above.
    if (delayMs > 0) setTimeout(dispatch, delayMs + 1);
    return now() + delayMs;
  };

  function dispatch(): void {
    for (const consumer of consumers) {
      const { queue, isExclusive } = consumer;
      const holder = holderOf(consumer);
      const isFree = (entry: QueuedMessage): boolean =>
        entry.queue === queue &&
        (isExclusive === true ? entry.holder !== holder : entry.holder === undefined) &&
        entry.availableAt <= now() &&
        isHeadOfKey(entry);
      for (let entry = queued.find(isFree); entry !== undefined && heldBy(holder, queue).length < consumer.concurrency(); entry = queued.find(isFree))
        deliver(consumer, entry);
    }
  }

  function deliver(consumer: Consumer, entry: QueuedMessage): void {
    const holder = holderOf(consumer);
    entry.holder = holder;
    const attempt = ++entry.attempts;
    const { id, key, message } = entry;
    const returnToQueue = (attempts: number, delayMs: number): void => {
      if (entry.holder !== holder) return;
      entry.attempts = attempts;
      entry.holder = undefined;
      entry.availableAt = dueAfter(delayMs);
      queueMicrotask(dispatch);
    };
    const settling = settleOnce({
      done: async () => {
        if (queued.includes(entry)) queued.splice(queued.indexOf(entry), 1);
        queueMicrotask(dispatch);
      },
      retry: (delayMs: number) => returnToQueue(attempt, delayMs),
      requeue: () => returnToQueue(attempt - 1, 0),
    });
    consumer.deliver({ id, key, message, attempt, ...settling });
  }

  const whenSettled = async (boot: string, queue: string): Promise<void> => {
    // real time: polls.
    while (heldBy(boot, queue).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  };

  const versionsOf = (collection: Collection, id: string): readonly RecordVersion[] =>
    changes
      .filter((change) => change.collection === collection && change.version.id === id)
      .map(({ version }) => version)
      .toReversed();
  const newestOf = (collection: Collection): readonly RecordVersion[] => {
    const newest = new Map<string, RecordVersion>();
    for (const { version } of changes.filter((change) => change.collection === collection)) {
      newest.delete(version.id);
      newest.set(version.id, version);
    }
    return [...newest.values()].filter(({ bytes }) => bytes !== undefined);
  };

  return (node) => clusterOf(node, `${node}-${++boots}`);

  function clusterOf(node: string, boot: string): Cluster {
    const requests = new NodeRequests({
      node,
      send(to, frame, requestId) {
        const receiver = requestsOf.get(to);
        queueMicrotask(() => (receiver === undefined ? requests.unreachable(requestId as string, to) : receiver.receive(frame)));
      },
    });
    requestsOf.set(node, requests);
    return {
      node,
      boot,
      queues: {
        async put(queue, message, { id, key, delayMs }) {
          if (putIds.has(id)) return;
          putIds.add(id);
          queued.push({ id, queue, key, message, availableAt: dueAfter(delayMs), attempts: 0, holder: undefined });
          queueMicrotask(dispatch);
        },
        async depths() {
          const waiting = queued.filter(({ holder, availableAt }) => holder !== undefined || availableAt <= now());
          return [...new Set(waiting.map(({ queue }) => queue))].map((queue) => ({
            queue,
            depth: waiting.filter((entry) => entry.queue === queue).length,
            bytes: undefined,
          }));
        },
        consume(queue, receiver) {
          const consumer: Consumer = {
            boot,
            queue,
            isExclusive: receiver.isExclusive === true,
            concurrency: () => receiver.concurrency(),
            keyToken: () => receiver.keyToken(),
            deliver: (delivery) => receiver.deliver(delivery),
          };
          consumers.add(consumer);
          queueMicrotask(dispatch);
          return {
            refresh: dispatch,
            keysSettled: async () => undefined,
            stop: () => {
              consumers.delete(consumer);
              return whenSettled(boot, queue);
            },
          };
        },
      },
      records: {
        async read(collection, id) {
          const newest = versionsOf(collection, id)[0];
          return newest?.bytes === undefined ? undefined : newest;
        },
        async write(collection, id, bytes, expect) {
          await Promise.resolve();
          const head = heads.get(collection) ?? 0;
          if (expect !== undefined && expect.head !== head) throw new ClusterError("conflict", `'${collection}' changed since revision ${expect.head}`);
          const version = { id, bytes, revision: head + 1, at: Date.now() };
          heads.set(collection, head + 1);
          changes.push({ collection, version });
          for (const watch of watches) if (watch.collection === collection) watch.onChange(version);
          return version;
        },
        watch(collection, onChange, onCaughtUp) {
          const watch = { collection, onChange };
          for (const version of newestOf(collection)) onChange(version);
          watches.add(watch);
          onCaughtUp(heads.get(collection) ?? 0);
          return { stop: () => void watches.delete(watch) };
        },
        versions: async (collection, id) => versionsOf(collection, id).slice(0, maxVersions),
      },
      claims: {
        async claim(set: ClaimSet, key, note) {
          await Promise.resolve();
          const owner = claims.get(`${set} ${key}`);
          if (owner !== undefined) return { ...owner, won: false };
          const claim = { set, key, won: true, note, token: ++token };
          claims.set(`${set} ${key}`, claim);
          return claim;
        },
        async release({ set, key, token: released }) {
          if (claims.get(`${set} ${key}`)?.token === released) claims.delete(`${set} ${key}`);
        },
      },
      messaging: {
        publish(topic, payload) {
          for (const other of handlers) if (other.node !== node && other.topic === topic) queueMicrotask(() => other.handler(payload, node));
        },
        request: (topic, payload, options) => requests.request(topic, payload, options),
        respond: (topic, responder) => requests.respond(topic, responder),
        subscribe(topic, handler) {
          const entry = { node, topic, handler };
          handlers.add(entry);
          return () => void handlers.delete(entry);
        },
      },
      async close() {
        requestsOf.delete(node);
        requests.close();
        for (const consumer of consumers) if (consumer.boot === boot) consumers.delete(consumer);
        for (const entry of queued) if (entry.holder === boot) entry.holder = undefined;
        dispatch();
      },
    };
  }
}
