// The queues of one runtime by name: found by senders, consumers and pollers alike, forgotten when nothing would be lost.
import {
  cancelledError,
  CompileError,
  FlowError,
  type Awaitable,
  type Connector,
  type Endpoint,
  type Exchange,
  type Host,
  type Message,
  type Poller,
  type Source,
} from "@sluice/engine/spi";
import type { SedaOptions } from "./seda.ts";
import { SedaConsumer } from "./seda-consumer.ts";
import { SedaQueue } from "./seda-queue.ts";
import { sedaSink } from "./seda-sink.ts";

/** Queues that may exist at once: names can come from messages. */
const queueLimit = 10_000;
const consumerLimit = 500;

const queuesOf = new WeakMap<Host, Map<string, SedaQueue>[]>();

/** How many messages wait in each queue of the runtime with this host, for metrics. */
export function queueDepths(host: Host): readonly { readonly name: string; readonly depth: number }[] {
  return (queuesOf.get(host) ?? []).flatMap((queues) => [...queues.values()].map(({ name, depth }) => ({ name, depth })));
}

export function connectQueues(host: Host): Connector<SedaOptions> {
  const queues = new Map<string, SedaQueue>();
  queuesOf.set(host, [...(queuesOf.get(host) ?? []), queues]);

  const find = (name: string): SedaQueue => {
    const known = queues.get(name);
    if (known !== undefined) return known;
    if (queues.size >= queueLimit) forgetIdle(queues);
    const queue = new SedaQueue(name, host.clock);
    queues.set(name, queue);
    return queue;
  };

  return {
    source: (endpoint) => sedaSource(endpoint, find),
    sink: (endpoint) => sedaSink(endpoint, () => find(endpoint.options.name), host.clock),
    poller: (endpoint) => sedaPoller(() => find(endpoint.options.name), host),
  };
}

function forgetIdle(queues: Map<string, SedaQueue>): void {
  for (const [name, queue] of queues) if (queue.idle) queues.delete(name);
  if (queues.size >= queueLimit)
    throw new FlowError("java.lang.IllegalStateException", `queue limit: there may not be more than ${queueLimit} queues that hold messages`, {
      code: "limit-queues",
    });
}

function sedaSource(endpoint: Endpoint<SedaOptions>, find: (name: string) => SedaQueue): Source {
  const { name, concurrentConsumers, limitConcurrentConsumers, multipleConsumers, purgeWhenStopping, size } = endpoint.options;
  if (limitConcurrentConsumers && concurrentConsumers > consumerLimit)
    throw new CompileError("bad-option", `concurrentConsumers is ${concurrentConsumers} but may be ${consumerLimit} at most`, {
      hint: "set limitConcurrentConsumers=false to allow more",
    });
  let consumer: SedaConsumer | undefined;
  return {
    claims: multipleConsumers ? [] : [`${endpoint.scheme}:${name}`],
    exclusive: false,
    start(inlet) {
      const queue = find(name);
      consumer = new SedaConsumer(queue, inlet, { workers: concurrentConsumers, size, multiple: multipleConsumers, purge: purgeWhenStopping });
      queue.join(consumer);
    },
    stop() {
      const stopping = consumer;
      consumer = undefined;
      return stopping?.stop();
    },
  };
}

function sedaPoller(queueOf: () => SedaQueue, host: Host): Poller {
  return {
    receive(timeoutMs, exchange): Awaitable<Message | undefined> {
      const queue = queueOf();
      const entry = queue.take();
      entry?.reply?.(undefined);
      if (entry !== undefined) return entry.message;
      return timeoutMs === 0 ? undefined : nextMessage(queue, timeoutMs, exchange, host);
    },
  };
}

function nextMessage(queue: SedaQueue, timeoutMs: number, { run: { signal } }: Exchange, host: Host): Promise<Message | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      cancelTimer?.();
      giveUp();
      signal.removeEventListener("abort", onAbort);
      finish();
    };
    const onAbort = (): void => settle(() => reject(cancelledError(signal)));
    const cancelTimer = timeoutMs > 0 ? host.clock.after(timeoutMs, () => settle(() => resolve(undefined))) : undefined;
    const giveUp = queue.onEntry((entry) => {
      entry.reply?.(undefined);
      settle(() => resolve(entry.message));
    });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
