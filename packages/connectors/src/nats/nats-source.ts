// Plain NATS: the server delivers once and stores nothing. Messages that arrive faster than the route processes them wait in a bounded queue.
import type { Msg, Subscription as NatsSubscription } from "@nats-io/transport-node";
import type { Awaitable, Connection, Delivery, Endpoint, Exchange, Host, Message, Source, SourceInput } from "@sluice/engine/spi";
import type { BackOff } from "@sluice/engine/tools";
import { MessageReceiver, singleAttempt } from "../message-receiver/message-receiver.ts";
import { CancellableDelays, traceReader } from "../messaging/incoming.ts";
import { payloadOf } from "../messaging/outgoing.ts";
import { reconnectAttempts, whileConnected, type ReconnectLimit, type Subscription } from "../reconnecting/while-connected.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import type { NatsClient } from "./nats-connection.ts";
import { plainHeaders, receivedMessage } from "./nats-message.ts";
import type { NatsOptions } from "./nats-options.ts";
import { WaitingMessages } from "./waiting-messages.ts";

export interface NatsParts {
  readonly host: Host;
  readonly deadLetters: DeadLetters;
}

interface Item {
  readonly message: Msg;
  readonly receivedAt: number;
  reply: Message | undefined;
  /** Set when the message could neither be processed nor stored: it is retried after this delay. */
  retryAfterMs: number | undefined;
  /** Whether the route rejected the message because of the in-flight limit. */
  wasRefused: boolean;
}

export function natsSource(endpoint: Endpoint<NatsOptions>, connection: Connection<NatsClient>, { host, deadLetters }: NatsParts): Source {
  const { options, uri } = endpoint;
  const { queueName, maxMessages } = options;
  const withTrace = traceReader(host);
  const plain: Delivery = { pattern: options.exchangePattern ?? "InOnly", trigger: { uri } };
  const withReply: Delivery = { ...plain, pattern: options.exchangePattern ?? "InOut" };
  /** Number of messages received since the source was started; reconnecting does not reset it. */
  let receivedCount = 0;

  const begin = async (client: NatsClient, routeInput: SourceInput, lost: (problem: string) => void): Promise<Subscription> => {
    const waits = new CancellableDelays(host.clock);
    const waiting = new WaitingMessages<Msg>((problem) => host.log.write("WARN", "sluice.nats", `${uri}: ${problem}`));
    const window = queueName === undefined ? 1 : options.poolSize;
    /** Messages that were started and are not settled, including those that wait for a retry. */
    let started = 0;
    const messageReceiver = new MessageReceiver<Item>(
      routeInput,
      {
        messageOf: ({ message, receivedAt }) => receivedMessage(message, plainHeaders.of({ message, queueName, receivedAt })),
        deliveryOf(item) {
          const delivery = expectsReply(item, options) ? { ...withReply, ended: (exchange: Exchange) => void (item.reply = exchange.message) } : plain;
          return withTrace(delivery, item.message.headers?.get("traceparent"));
        },
        idOf: () => undefined,
        settle(item, outcome): Awaitable {
          if (outcome.kind === "redeliver") {
            item.retryAfterMs = outcome.waitMs;
            item.wasRefused = outcome.attempts === 0;
          } else if (outcome.kind === "done" && expectsReply(item, options)) return reply(item);
          return undefined;
        },
      },
      { ...singleAttempt, window, cannotRedeliver: true },
      { clock: host.clock, deadLetters, failed: (problem) => host.log.write("ERROR", "sluice.nats", `${uri}: ${problem}`) },
    );
    const work = (message: Msg): Awaitable => {
      const item: Item = { message, receivedAt: host.clock.now(), reply: undefined, retryAfterMs: undefined, wasRefused: false };
      const pending = messageReceiver.take(item);
      return pending === undefined && item.retryAfterMs === undefined ? undefined : repeat(item, pending);
    };
    const pause = (ms: number): Promise<void> => new Promise((resolve) => void host.clock.after(ms, resolve));
    const repeat = async (item: Item, pending: Awaitable): Promise<void> => {
      await pending;
      while (item.retryAfterMs !== undefined) {
        // The server has no copy, so a message that the route refused is retried even while the source stops.
        if (waits.isOver && !item.wasRefused)
          return host.log.write("ERROR", "sluice.nats", `${uri}: a message was lost because it could neither be processed nor stored as a dead letter`);
        await (item.wasRefused ? pause(item.retryAfterMs) : waits.wait(item.retryAfterMs));
        item.retryAfterMs = undefined;
        await messageReceiver.take(item);
      }
    };
    const next = (): void => {
      while (started < window) {
        const message = waiting.take();
        if (message === undefined) return;
        const pending = work(message);
        if (pending === undefined) continue;
        started++;
        void pending.then(() => {
          started--;
          next();
          if (started === 0) drained();
        });
      }
    };
    let drained = (): void => undefined;
    const subscription: NatsSubscription | undefined =
      maxMessages !== undefined && receivedCount >= maxMessages
        ? undefined
        : client.connection.subscribe(options.topic, {
            ...(queueName === undefined ? {} : { queue: queueName }),
            ...(maxMessages === undefined ? {} : { max: maxMessages - receivedCount }),
            callback: (error, message) => {
              if (error !== null) return lost(error.message);
              receivedCount++;
              waiting.add(message);
              next();
            },
          });
    // A response from the server confirms the subscription.
    await client.connection.flush();
    return {
      async stop() {
        subscription?.unsubscribe();
        // The server does not store delivered messages: all received ones are processed before the source stops.
        waits.end();
        if (started > 0) await new Promise<void>((resolve) => (drained = resolve));
      },
    };
  };

  const { start, stop } = whileConnected({ connection, host, begin, ...reconnectingOf(options) });
  return {
    claims: [],
    exclusive: true,
    everyWorker: queueName !== undefined,
    start(routeInput) {
      receivedCount = 0;
      return start(routeInput);
    },
    stop,
  };
}

/** Camel's delay between attempts is the maximum delay here. */
export function reconnectingOf({ reconnectTimeWait, reconnect, maxReconnectAttempts: attempts }: NatsOptions): {
  readonly backOff: BackOff;
  readonly reconnectLimit?: ReconnectLimit;
} {
  const backOff = { firstMs: Math.min(250, reconnectTimeWait), maxMs: Math.max(reconnectTimeWait, 1) };
  if (!reconnect) return { backOff, reconnectLimit: reconnectAttempts(0, "reconnect=false") };
  return attempts < 0 ? { backOff } : { backOff, reconnectLimit: reconnectAttempts(attempts, `maxReconnectAttempts=${attempts}`) };
}

function expectsReply({ message }: Item, { replyToDisabled }: NatsOptions): boolean {
  return !replyToDisabled && message.reply !== undefined && message.reply !== "";
}

async function reply({ message, reply: result }: Item): Promise<void> {
  const payload = await payloadOf(result?.body);
  if (payload !== undefined) message.respond(payload);
}
