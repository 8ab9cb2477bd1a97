// Consumes one queue: prefetched messages wait here and are processed in order as the route has capacity.
import type { Channel, ConsumeMessage } from "amqplib";
import type { Awaitable, Delivery, Exchange, Host, Message, SourceInlet } from "@sluice/engine/spi";
import { Intake, type Verdict } from "../intake/intake.ts";
import { StoppableWaits, traceReader } from "../messaging/incoming.ts";
import { payloadOf } from "../messaging/outgoing.ts";
import { Prefetched } from "../messaging/prefetched.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import { propertiesToSend, receivedMessage } from "./rabbitmq-message.ts";
import type { RabbitOptions } from "./rabbitmq-options.ts";

export interface QueueParts {
  readonly host: Host;
  readonly deadLetters: DeadLetters;
  readonly uri: string;
  readonly options: RabbitOptions;
  /** True when the queue has a dead-letter exchange for rejected messages. */
  readonly hasDeadLetterExchange: boolean;
  /** Those of the channel, which several queues may share. */
  readonly acknowledgements: Acknowledgements;
  /** False once the channel is closed: nothing can be settled on it, and the server redelivers. */
  isOpen(): boolean;
}

interface Item {
  readonly message: ConsumeMessage;
  /** Failed attempts so far. */
  attempts: number;
  /** Set when the message is retried here after this delay. */
  retryAfterMs: number | undefined;
  reply: Exchange | undefined;
}

const maxRequeueMs = 60_000;

export class QueueConsumer {
  readonly #channel: Channel;
  readonly #parts: QueueParts;
  readonly #intake: Intake<Item>;
  readonly #waits: StoppableWaits;
  readonly #window: number;
  readonly #prefetched: Prefetched<ConsumeMessage>;
  /** Number of consecutive messages that were returned to the queue; the delay before the next return grows with it. */
  #returned = 0;

  constructor(channel: Channel, inlet: SourceInlet, parts: QueueParts) {
    const { options, host } = parts;
    this.#channel = channel;
    this.#parts = parts;
    this.#waits = new StoppableWaits(host.clock);
    this.#window = options.asyncConsumer ? options.prefetchCount : Math.max(options.concurrentConsumers, options.maxConcurrentConsumers ?? 1);
    this.#intake = this.#newIntake(inlet);
    this.#prefetched = new Prefetched({ window: this.#window, work: (message) => this.#work(message), release: (message) => this.#return(message) });
  }

  take(message: ConsumeMessage): void {
    this.#parts.acknowledgements.received(message);
    this.#prefetched.take(message);
  }

  /** Returns messages that were not started; resolves when the others are settled. */
  stop(): Promise<void> {
    this.#waits.end();
    return this.#prefetched.stop();
  }

  #work(message: ConsumeMessage): Awaitable {
    const item: Item = { message, attempts: 0, retryAfterMs: undefined, reply: undefined };
    const pending = this.#intake.take(item);
    return pending === undefined && item.retryAfterMs === undefined ? undefined : this.#repeat(item, pending);
  }

  async #repeat(item: Item, pending: Awaitable): Promise<void> {
    await pending;
    while (item.retryAfterMs !== undefined) {
      await this.#waits.wait(item.retryAfterMs);
      if (this.#waits.isOver) return this.#return(item.message);
      item.retryAfterMs = undefined;
      await this.#intake.take(item);
    }
  }

  #newIntake(inlet: SourceInlet): Intake<Item> {
    const { options, host, uri, deadLetters, hasDeadLetterExchange } = this.#parts;
    const withTrace = traceReader(host);
    const plain: Delivery = { pattern: options.exchangePattern ?? "InOnly", trigger: { uri } };
    const withReply: Delivery = { ...plain, pattern: options.exchangePattern ?? "InOut" };
    const isRejected = options.acknowledgeMode !== "NONE" && (hasDeadLetterExchange || !options.rejectAndDontRequeue);
    return new Intake<Item>(
      inlet,
      {
        messageOf: ({ message }) => receivedMessage(message),
        deliveryOf: (item) => {
          const delivery = this.#replyTo(item) === undefined ? plain : { ...withReply, ended: (exchange: Exchange) => void (item.reply = exchange) };
          return withTrace(delivery, item.message.properties.headers?.["traceparent"]);
        },
        idOf: () => undefined,
        attemptsOf: ({ attempts }) => attempts,
        settle: (item, verdict) => this.#settle(item, verdict, isRejected),
      },
      {
        window: this.#window,
        maximumRedeliveries: options.acknowledgeMode === "NONE" ? 0 : options.maximumRetryAttempts,
        redeliveryDelay: options.retryDelay,
        backOffMultiplier: 1,
        maximumRedeliveryDelay: Math.max(options.retryDelay, 1),
        leaseMs: 0,
      },
      {
        clock: host.clock,
        failed: (problem) => host.log.write("ERROR", "sluice.rabbitmq", `${uri}: ${problem}`),
        ...(isRejected ? {} : { deadLetters }),
      },
    );
  }

  #settle(item: Item, verdict: Verdict, isRejected: boolean): Awaitable {
    const { message } = item;
    if (verdict.kind === "redeliver") {
      item.attempts = verdict.attempts;
      // A run is abandoned only when its route stops.
      if (verdict.waitMs === 0 && !verdict.counted) this.#return(message);
      else item.retryAfterMs = Math.max(verdict.waitMs, 1);
      return undefined;
    }
    if (!this.#parts.isOpen()) return undefined;
    if (verdict.kind === "done") {
      this.#returned = 0;
      if (item.reply !== undefined) return this.#reply(item, item.reply).then(() => this.#acknowledge(message));
      return this.#acknowledge(message);
    }
    // Without an exchange no dead letter was written.
    if (!isRejected && verdict.exchange !== undefined) this.#acknowledge(message);
    else if (isRejected && this.#parts.options.rejectAndDontRequeue) this.#parts.acknowledgements.reject(message, false);
    else
      return this.#waits.wait(Math.min(this.#parts.options.retryDelay * 2 ** Math.min(this.#returned++, 10), maxRequeueMs)).then(() => this.#return(message));
    return undefined;
  }

  #acknowledge(message: ConsumeMessage): void {
    this.#parts.acknowledgements.acknowledge(message);
  }

  #return(message: ConsumeMessage): void {
    this.#parts.acknowledgements.reject(message, true);
  }

  #replyTo({ message }: Item): string | undefined {
    const replyTo: unknown = message.properties.replyTo;
    return this.#parts.options.disableReplyTo || typeof replyTo !== "string" || replyTo === "" ? undefined : replyTo;
  }

  /** The reply is sent to a queue of the same server through the default exchange, regardless of other addresses in the message. */
  async #reply(item: Item, reply: Exchange): Promise<void> {
    const replyTo = this.#replyTo(item);
    if (replyTo === undefined || reply.pattern !== "InOut") return;
    const { body }: Message = reply.message;
    const payload = await payloadOf(body);
    if (!this.#parts.isOpen()) return;
    const { replyTo: _replyTo, userId: _userId, ...properties } = propertiesToSend(reply, body);
    const correlationId: unknown = item.message.properties.correlationId ?? item.message.properties.messageId;
    this.#channel.publish("", replyTo, Buffer.from(payload ?? new Uint8Array()), {
      ...properties,
      ...(typeof correlationId === "string" ? { correlationId } : {}),
    });
  }
}
