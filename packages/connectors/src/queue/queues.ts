// The durable queues of one runtime by name, for senders, consumers and pollers alike.
import {
  asText,
  cancelledError,
  CompileError,
  FlowError,
  type Connector,
  type Endpoint,
  type Exchange,
  type Host,
  type Message,
  type Poller,
  type Sink,
  type Source,
} from "@sluice/engine/spi";
import type { DurableQueues } from "./durable-queues.ts";
import { QueueConsumer, type RedeliveryOptions } from "./queue-consumer.ts";
import type { QueueOptions } from "./queue-shape.ts";
import { companyOf, restoreMessage, storeMessage, type StoredMessage } from "./stored-message.ts";
import { WorkQueue, type Taker } from "./work-queue.ts";

const queueLimit = 10_000;
const longestKey = 1_000;

/** Finds queues by name; shared by everything of one runtime that works on the same store. */
export interface QueueFinder {
  find(name: string): WorkQueue;
}

const findersOf = new WeakMap<DurableQueues, WeakMap<Host, QueueFinder>>();

/** The queues of a runtime: the same for every connector that asks with the same store and host. */
export function queuesOf(queues: DurableQueues, host: Host): QueueFinder {
  const byHost = findersOf.get(queues) ?? new WeakMap<Host, QueueFinder>();
  findersOf.set(queues, byHost);
  const known = byHost.get(host);
  if (known !== undefined) return known;
  const byName = new Map<string, WorkQueue>();
  const finder: QueueFinder = {
    find(name) {
      const queue = byName.get(name) ?? new WorkQueue(name, queues, host.clock, host.log);
      if (byName.size >= queueLimit) for (const [other, { idle }] of byName) if (idle) byName.delete(other);
      byName.set(name, queue);
      return queue;
    },
  };
  byHost.set(host, finder);
  return finder;
}

export function connectQueues(host: Host, queues: DurableQueues): Connector<QueueOptions> {
  const finder = queuesOf(queues, host);
  return {
    source(endpoint) {
      checkName(endpoint);
      const { name, concurrentConsumers } = endpoint.options;
      return queueSource(host, queues, { name, uri: endpoint.uri, claims: [`queue:${name}`], concurrentConsumers, redelivery: endpoint.options });
    },
    sink(endpoint) {
      checkName(endpoint);
      return queueSink(endpoint, finder, queues);
    },
    poller(endpoint) {
      checkName(endpoint);
      return queuePoller(() => finder.find(endpoint.options.name), host);
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

/** A source that works off a queue. What is under way when it stops is finished by the version that began it. */
export function queueSource(host: Host, queues: DurableQueues, { name, uri, claims, concurrentConsumers, redelivery }: QueueSourceSettings): Source {
  const finder = queuesOf(queues, host);
  let consumer: QueueConsumer | undefined;
  let joined: WorkQueue | undefined;
  return {
    claims,
    exclusive: false,
    async start(inlet) {
      const before = consumer;
      const starting = new QueueConsumer(
        finder.find(name),
        inlet,
        { ...redelivery, concurrentConsumers, uri, isOpenSession: (id) => queues.isOpenSession(id) },
        host.log,
      );
      consumer = starting;
      joined = finder.find(name);
      await joined.join(starting);
      if (before !== undefined) joined.leave(before);
    },
    stop() {
      if (consumer !== undefined) joined?.leave(consumer);
      consumer = undefined;
    },
  };
}

function checkName({ options: { name } }: Endpoint<QueueOptions>): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
    throw new CompileError("bad-option", `queue name '${name.slice(0, 60)}' is not allowed`, { hint: "use letters, digits, '.', '_', '-' (max 128)" });
}

function queueSink({ options }: Endpoint<QueueOptions>, { find }: QueueFinder, queues: DurableQueues): Sink {
  const { name, delay } = options;
  const keyOf = keyReader(options);
  return {
    async start() {
      await queues.open();
    },
    send(exchange) {
      const limit = queues.current?.maxMessageBytes ?? Infinity;
      return find(name)
        .put(storeMessage(exchange.message, companyOf(exchange), limit), keyOf(exchange), delay)
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
    if (text.length > longestKey)
      throw new FlowError("java.lang.IllegalArgumentException", `header '${keyHeader}' is too long for a key: ${longestKey} characters at most`, {
        code: "queue-key-too-long",
      });
    return text;
  };
}

type Taken = NonNullable<ReturnType<WorkQueue["take"]>>;

/** A message that was asked for is done when the run that asked is; if that fails, somebody else gets it. */
function queuePoller(queueOf: () => WorkQueue, host: Host): Poller {
  return {
    async receive(timeoutMs, exchange) {
      const queue = queueOf();
      const entry = await waitFor(queue, timeoutMs, exchange, host);
      if (entry === undefined) return undefined;
      (exchange.completions ??= []).push((over) => (over.failure === undefined ? queue.done(entry) : queue.giveBack(entry)));
      return messageOf(entry);
    },
  };
}

function messageOf(entry: Taken): Message {
  const { message } = restoreMessage(entry.message as StoredMessage);
  message.headers.set("SluiceQueueMessageId", entry.id);
  message.headers.set("SluiceQueueAttempt", entry.attempts + 1);
  return message;
}

async function waitFor(queue: WorkQueue, timeoutMs: number, { run }: Exchange, { clock }: Host): Promise<Taken | undefined> {
  const { signal } = run;
  let settle: (entry: Taken | undefined) => void = () => undefined;
  const arrived = new Promise<Taken | undefined>((resolve) => (settle = resolve));
  let entry: Taken | undefined;
  // Taking may find more than one message and wake again: only one is wanted.
  let taking = false;
  const taker: Taker = {
    wake() {
      if (taking || entry !== undefined || !queue.isServed(taker)) return;
      taking = true;
      entry = queue.take();
      taking = false;
      if (entry !== undefined) settle(entry);
    },
  };
  const onAbort = (): void => settle(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  let stopTimer: (() => void) | undefined;
  try {
    await queue.join(taker);
    if (timeoutMs >= 0 && entry === undefined) stopTimer = clock.after(timeoutMs, () => settle(undefined));
    await arrived;
  } finally {
    stopTimer?.();
    signal.removeEventListener("abort", onAbort);
    queue.leave(taker);
  }
  if (entry === undefined && signal.aborted) throw cancelledError(signal);
  return entry;
}
