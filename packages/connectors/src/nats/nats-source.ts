// Plain NATS: the server delivers once and stores nothing. Messages that arrive faster than the route processes them wait in a bounded queue.
import type { Msg, Subscription as NatsSubscription } from "@nats-io/transport-node";
import type { Awaitable, Connection, Delivery, Endpoint, Exchange, Host, Message, Source, SourceInlet } from "@sluice/engine/spi";
import { Intake } from "../intake/intake.ts";
import { StoppableWaits, traceReader } from "../messaging/incoming.ts";
import { payloadOf } from "../messaging/outgoing.ts";
import { whileConnected, type Subscription } from "../reconnecting/while-connected.ts";
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
  readonly at: number;
  reply: Message | undefined;
  /** Set when the message could neither be processed nor stored: it is retried after this delay. */
  retryAfterMs: number | undefined;
}

export function natsSource(endpoint: Endpoint<NatsOptions>, connection: Connection<NatsClient>, { host, deadLetters }: NatsParts): Source {
  const { options, uri } = endpoint;
  const { queueName, maxMessages } = options;
  const withTrace = traceReader(host);
  const plain: Delivery = { pattern: options.exchangePattern ?? "InOnly", trigger: { uri } };
  const withReply: Delivery = { ...plain, pattern: options.exchangePattern ?? "InOut" };
  let taken = 0;

  const begin = async (client: NatsClient, inlet: SourceInlet): Promise<Subscription> => {
    const waits = new StoppableWaits(host.clock);
    const waiting = new WaitingMessages<Msg>((problem) => host.log.write("WARN", "sluice.nats", `${uri}: ${problem}`));
    const intake = new Intake<Item>(
      inlet,
      {
        messageOf: ({ message, at }) => receivedMessage(message, plainHeaders.of({ message, queueName, at })),
        deliveryOf(item) {
          const delivery = expectsReply(item, options) ? { ...withReply, ended: (exchange: Exchange) => void (item.reply = exchange.message) } : plain;
          return withTrace(delivery, item.message.headers?.get("traceparent"));
        },
        idOf: () => undefined,
        settle(item, verdict): Awaitable {
          if (verdict.kind === "redeliver") item.retryAfterMs = verdict.waitMs;
          else if (verdict.kind === "done" && expectsReply(item, options)) return reply(item);
          return undefined;
        },
      },
      {
        window: queueName === undefined ? 1 : options.poolSize,
        maximumRedeliveries: 0,
        redeliveryDelay: 0,
        backOffMultiplier: 1,
        maximumRedeliveryDelay: 60_000,
        leaseMs: 0,
        cannotReturn: true,
      },
      { clock: host.clock, deadLetters, failed: (problem) => host.log.write("ERROR", "sluice.nats", `${uri}: ${problem}`) },
    );
    const work = (message: Msg): Awaitable => {
      const item: Item = { message, at: host.clock.now(), reply: undefined, retryAfterMs: undefined };
      const pending = intake.take(item);
      return pending === undefined && item.retryAfterMs === undefined ? undefined : repeat(item, pending);
    };
    const repeat = async (item: Item, pending: Awaitable): Promise<void> => {
      await pending;
      while (item.retryAfterMs !== undefined) {
        if (waits.isOver)
          return host.log.write("ERROR", "sluice.nats", `${uri}: a message was lost because it could neither be processed nor stored as a dead letter`);
        await waits.wait(item.retryAfterMs);
        item.retryAfterMs = undefined;
        await intake.take(item);
      }
    };
    const next = (): void => {
      while (intake.hasRoom) {
        const message = waiting.take();
        if (message === undefined) return;
        void work(message)?.then(next);
      }
    };
    const subscription: NatsSubscription | undefined =
      maxMessages !== undefined && taken >= maxMessages
        ? undefined
        : client.connection.subscribe(options.topic, {
            ...(queueName === undefined ? {} : { queue: queueName }),
            ...(maxMessages === undefined ? {} : { max: maxMessages - taken }),
            callback: (error, message) => {
              if (error !== null) return host.log.write("WARN", "sluice.nats", `${uri}: ${error.message}`);
              taken++;
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
        while (waiting.size > 0 || intake.inflight > 0) {
          next();
          await intake.stop();
          await host.clock.yieldToEventLoop();
        }
        waits.end();
      },
    };
  };

  return { claims: [], exclusive: true, everyWorker: queueName !== undefined, ...whileConnected({ connection, host, begin, backOff: backOffOf(options) }) };
}

/** Camel's delay between attempts is the maximum delay here. */
export function backOffOf({ reconnectTimeWait }: NatsOptions): { readonly firstMs: number; readonly maxMs: number } {
  return { firstMs: Math.min(250, reconnectTimeWait), maxMs: Math.max(reconnectTimeWait, 1) };
}

function expectsReply({ message }: Item, { replyToDisabled }: NatsOptions): boolean {
  return !replyToDisabled && message.reply !== undefined && message.reply !== "";
}

async function reply({ message, reply: answer }: Item): Promise<void> {
  const payload = await payloadOf(answer?.body);
  if (payload !== undefined) message.respond(payload);
}
