// The durable queues of one runtime by name, for senders, consumers and pollers.
import {
  CompileError,
  FlowError,
  settlementOf,
  onExchangeEnd,
  type Connector,
  type Endpoint,
  type Exchange,
  type Host,
  type Message,
  type Poller,
  type SharedState,
  type Sink,
  type Source,
} from "@sluice/engine/spi";
import { cancelledError } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import type { DurableQueues, Queue, QueueAccess, QueueSubscriber, ClaimedMessage } from "./durable-queues.ts";
import { QueueConsumer, type RedeliveryOptions } from "./queue-consumer.ts";
import type { QueueOptions } from "./queue-shape.ts";
import { contextOf, restoreMessage, storeMessage } from "./stored-message.ts";
import { WorkQueue } from "./work-queue.ts";

const queueLimit = 10_000;
const maxKeyLength = 1_000;

/** Finds queues by name; shared by all users of one store. */
export interface QueueRegistry {
  readonly store: QueueAccess;
  find(name: string): Queue;
}

/** The queues of a runtime, shared by all its connectors. */
export function queueRegistry(queues: DurableQueues, host: Host, shared: SharedState): QueueRegistry {
  return shared.of("durable queues", () => {
    const byName = new Map<string, Queue>();
    return {
      store: queues.shared ?? queues,
      find(name) {
        const queue = byName.get(name) ?? queues.shared?.find(name, host) ?? new WorkQueue(name, queues, host.clock, host.log);
        if (byName.size >= queueLimit) for (const [other, { idle }] of byName) if (idle) byName.delete(other);
        byName.set(name, queue);
        return queue;
      },
    };
  });
}

export function connectDurableQueues(host: Host, queues: DurableQueues, shared: SharedState): Connector<QueueOptions> {
  const registry = queueRegistry(queues, host, shared);
  return {
    source(endpoint) {
      checkName(endpoint);
      const { name, concurrentConsumers } = endpoint.options;
      return queueSource(host, registry, { name, uri: endpoint.uri, claims: [`queue:${name}`], concurrentConsumers, redelivery: endpoint.options });
    },
    sink(endpoint) {
      checkName(endpoint);
      return queueSink(endpoint, registry);
    },
    poller(endpoint) {
      checkName(endpoint);
      return queuePoller(() => registry.find(endpoint.options.name), host);
    },
  };
}

export interface QueueSourceSettings {
  readonly name: string;
  readonly uri: string;
  readonly claims: readonly string[];
  readonly concurrentConsumers: number;
  readonly redelivery: RedeliveryOptions;
}

/** A source that consumes a queue. Messages in flight when it stops are finished by the version that started them. */
export function queueSource(host: Host, registry: QueueRegistry, { name, uri, claims, concurrentConsumers, redelivery }: QueueSourceSettings): Source {
  let consumer: QueueConsumer | undefined;
  let subscribedQueue: Queue | undefined;
  return {
    claims,
    exclusive: false,
    isStored: true,
    async start(routeInput) {
      const previous = consumer;
      const starting = new QueueConsumer(
        registry.find(name),
        routeInput,
        { ...redelivery, concurrentConsumers, uri, isOpenSession: (id) => registry.store.isOpenSession(id) },
        host.log,
      );
      consumer = starting;
      subscribedQueue = registry.find(name);
      await subscribedQueue.subscribe(starting);
      if (previous !== undefined) subscribedQueue.unsubscribe(previous);
    },
    stop() {
      if (consumer !== undefined) subscribedQueue?.unsubscribe(consumer);
      consumer = undefined;
    },
  };
}

function checkName({ options: { name } }: Endpoint<QueueOptions>): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
    throw new CompileError("bad-option", `invalid queue name '${name.slice(0, 60)}'`, {
      hint: "use up to 128 letters, digits, '.', '_' and '-', starting with a letter or digit",
    });
}

function queueSink({ options }: Endpoint<QueueOptions>, { find, store }: QueueRegistry): Sink {
  const { name, delay } = options;
  const keyOf = keyReader(options);
  return {
    async start() {
      await store.open();
    },
    send(exchange) {
      const limit = store.current?.maxMessageBytes ?? Infinity;
      return find(name)
        .put(storeMessage(exchange.message, contextOf(exchange), limit), keyOf(exchange), delay)
        .then(() => undefined);
    },
  };
}

function keyReader({ key, keyHeader }: QueueOptions): (exchange: Exchange) => string | undefined {
  if (keyHeader === undefined) return () => key;
  const header = keyHeader.toLowerCase();
  return ({ message }) => {
    const value = message.headers.getKey(header);
    if (value === undefined || value === null) return key;
    const text = asText(value);
    if (text.length > maxKeyLength)
      throw new FlowError("java.lang.IllegalArgumentException", `header '${keyHeader}' is too long for a key (maximum ${maxKeyLength} characters)`, {
        code: "queue-key-too-long",
      });
    return text;
  };
}

/** A polled message is settled when the polling run ends; if it fails, the message is delivered again. */
function queuePoller(queueOf: () => Queue, host: Host): Poller {
  return {
    async receive(timeoutMs, exchange) {
      const queue = queueOf();
      const entry = await waitFor(queue, timeoutMs, exchange, host);
      if (entry === undefined) return undefined;
      onExchangeEnd(exchange, (ended) => (settlementOf(ended).kind === "done" ? queue.done(entry) : queue.requeue(entry)));
      return messageOf(entry);
    },
  };
}

function messageOf(entry: ClaimedMessage): Message {
  const { message } = restoreMessage(entry.message);
  message.headers.set("SluiceQueueMessageId", entry.id);
  message.headers.set("SluiceQueueAttempt", entry.attempts + 1);
  return message;
}

async function waitFor(queue: Queue, timeoutMs: number, { run }: Exchange, { clock }: Host): Promise<ClaimedMessage | undefined> {
  const { signal } = run;
  let settle: (entry: ClaimedMessage | undefined) => void = () => undefined;
  const arrived = new Promise<ClaimedMessage | undefined>((resolve) => (settle = resolve));
  let entry: ClaimedMessage | undefined;
  // Reading may find more than one message and wake again, but only one is needed.
  let isTaking = false;
  const subscriber: QueueSubscriber = {
    concurrency: 1,
    wake() {
      if (isTaking || entry !== undefined || !queue.isActive(subscriber)) return;
      isTaking = true;
      entry = queue.take();
      isTaking = false;
      if (entry !== undefined) settle(entry);
    },
  };
  const onAbort = (): void => settle(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  let stopTimer: (() => void) | undefined;
  try {
    await queue.subscribe(subscriber);
    if (timeoutMs >= 0 && entry === undefined) stopTimer = clock.after(timeoutMs, () => settle(undefined));
    await arrived;
  } finally {
    stopTimer?.();
    signal.removeEventListener("abort", onAbort);
    queue.unsubscribe(subscriber);
  }
  if (entry === undefined && signal.aborted) throw cancelledError(signal);
  return entry;
}
