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
import type { SedaOptions } from "./seda-shape.ts";
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

  const usage = queueUsage(queues, host);
  return {
    source: (endpoint) => {
      const source = sedaSource(endpoint, find);
      const use = usage(endpoint.options.name);
      return {
        ...source,
        start(inlet) {
          use.begin();
          return source.start(inlet);
        },
        async stop() {
          await source.stop();
          use.end();
        },
        abandon() {
          const left = source.abandon?.() ?? 0;
          use.end();
          return left;
        },
      };
    },
    sink: (endpoint) => {
      const use = usage(endpoint.options.name);
      return { ...sedaSink(endpoint, () => find(endpoint.options.name), host.clock), start: use.begin, stop: use.end };
    },
    poller: (endpoint) => sedaPoller(() => find(endpoint.options.name), host),
  };
}

/**
 * Who is in service with each queue. When the last of them goes, the queue goes too, with what waits in it: a flow that is
 * deployed later under the same name begins anew. A new version starts before the old one stops, so a redeploy keeps it.
 */
function queueUsage(queues: Map<string, SedaQueue>, host: Host): (name: string) => { begin(): void; end(): void } {
  const users = new Map<string, number>();
  return (name) => {
    let counted = false;
    return {
      begin() {
        if (!counted) users.set(name, (users.get(name) ?? 0) + 1);
        counted = true;
      },
      end() {
        if (!counted) return;
        counted = false;
        const left = (users.get(name) ?? 0) - 1;
        if (left > 0) {
          users.set(name, left);
          return;
        }
        users.delete(name);
        const queue = queues.get(name);
        queues.delete(name);
        if (queue === undefined || queue.depth === 0) return;
        host.log.write("WARN", "sluice.seda", `${queue.depth} messages in queue '${name}' are dropped: no flow refers to it any more`);
        queue.purge();
      },
    };
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
    async stop() {
      const stopping = consumer;
      await stopping?.stop();
      if (consumer === stopping) consumer = undefined;
    },
    abandon: () => consumer?.abandon() ?? 0,
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
