// The in-memory queues of one runtime by name, for senders, consumers and pollers. Empty unused queues are discarded.
import {
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
import { cancelledError } from "@sluice/engine/tools";
import type { SedaOptions } from "./seda-shape.ts";
import { SedaConsumer } from "./seda-consumer.ts";
import { SedaQueue } from "./seda-queue.ts";
import { sedaSink } from "./seda-sink.ts";

/** Maximum number of queues; bounded because names can come from messages. */
const queueLimit = 10_000;
const consumerLimit = 500;

export function connectSedaQueues(host: Host): Connector<SedaOptions> {
  const queues = new Map<string, SedaQueue>();

  const find = (name: string): SedaQueue => {
    const existing = queues.get(name);
    if (existing !== undefined) return existing;
    if (queues.size >= queueLimit) removeIdle(queues);
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
        start(routeInput) {
          use.begin();
          return source.start(routeInput);
        },
        async stop() {
          await source.stop();
          use.end();
        },
        abandon() {
          const remaining = source.abandon?.() ?? 0;
          use.end();
          return remaining;
        },
      };
    },
    sink: (endpoint) => {
      const use = usage(endpoint.options.name);
      return {
        ...sedaSink(endpoint, () => find(endpoint.options.name), host.clock),
        start: use.begin,
        stop: use.end,
        isBusy: () => (queues.get(endpoint.options.name)?.depth ?? 0) > 0,
      };
    },
    poller: (endpoint) => sedaPoller(() => find(endpoint.options.name), host),
    backlog: () => [...queues.values()].map(({ name, depth }) => ({ name, depth })),
  };
}

/**
 * Counts the users of each queue. When the last one is removed, the queue and its waiting messages are dropped, so that a flow
 * deployed later under the same name starts empty. A new version starts before the old one stops, so a redeploy keeps the queue.
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
        const remaining = (users.get(name) ?? 0) - 1;
        if (remaining > 0) {
          users.set(name, remaining);
          return;
        }
        users.delete(name);
        const queue = queues.get(name);
        queues.delete(name);
        if (queue === undefined || queue.depth === 0) return;
        host.log.write("WARN", "sluice.seda", `Queue '${name}' was removed because no flow uses it; messages dropped: ${queue.depth}`);
        queue.purge();
      },
    };
  };
}

function removeIdle(queues: Map<string, SedaQueue>): void {
  for (const [name, queue] of queues) if (queue.idle) queues.delete(name);
  if (queues.size >= queueLimit)
    throw new FlowError("java.lang.IllegalStateException", `queue limit: more than ${queueLimit} queues have messages`, {
      code: "limit-queues",
    });
}

function sedaSource(endpoint: Endpoint<SedaOptions>, find: (name: string) => SedaQueue): Source {
  const { name, concurrentConsumers, limitConcurrentConsumers, multipleConsumers, purgeWhenStopping, size } = endpoint.options;
  if (limitConcurrentConsumers && concurrentConsumers > consumerLimit)
    throw new CompileError("bad-option", `concurrentConsumers is ${concurrentConsumers}, but the maximum is ${consumerLimit}`, {
      hint: "set limitConcurrentConsumers=false to allow more",
    });
  let consumer: SedaConsumer | undefined;
  return {
    claims: multipleConsumers ? [] : [`${endpoint.scheme}:${name}`],
    exclusive: false,
    start(routeInput) {
      const queue = find(name);
      consumer = new SedaConsumer(queue, routeInput, { workers: concurrentConsumers, size, multiple: multipleConsumers, purge: purgeWhenStopping });
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
      cancelWait();
      signal.removeEventListener("abort", onAbort);
      finish();
    };
    const onAbort = (): void => settle(() => reject(cancelledError(signal)));
    const cancelTimer = timeoutMs > 0 ? host.clock.after(timeoutMs, () => settle(() => resolve(undefined))) : undefined;
    const cancelWait = queue.onEntry((entry) => {
      entry.reply?.(undefined);
      settle(() => resolve(entry.message));
    });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
