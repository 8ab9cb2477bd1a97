// Consumes one queue: prefetched messages wait here and are processed in order as the route has capacity.
import type { Channel, ConsumeMessage } from "amqplib";
import { toFlowError, type Awaitable, type Delivery, type Exchange, type Host, type Message, type SourceInput } from "@sluice/engine/spi";
import { MessageReceiver, type Outcome } from "../message-receiver/message-receiver.ts";
import { CancellableDelays, traceReader } from "../messaging/incoming.ts";
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
  /** True when the server dead-letters a rejected message with this routing key. */
  isDeadLettered(routingKey: string): boolean;
  /** The acknowledgements of the channel, which several queues may share. */
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
  readonly #messageReceiver: MessageReceiver<Item>;
  readonly #waits: CancellableDelays;
  readonly #window: number;
  readonly #prefetched: Prefetched<ConsumeMessage>;
  /** Number of consecutive messages that were returned to the queue; the delay before the next return grows with it. */
  #returned = 0;

  constructor(channel: Channel, routeInput: SourceInput, parts: QueueParts) {
    const { options, host } = parts;
    this.#channel = channel;
    this.#parts = parts;
    this.#waits = new CancellableDelays(host.clock);
    this.#window = options.asyncConsumer ? options.prefetchCount : Math.max(options.concurrentConsumers, options.maxConcurrentConsumers ?? 1);
    this.#messageReceiver = this.#newReceiver(routeInput);
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
    const pending = this.#messageReceiver.take(item);
    return pending === undefined && item.retryAfterMs === undefined ? undefined : this.#repeat(item, pending);
  }

  async #repeat(item: Item, pending: Awaitable): Promise<void> {
    await pending;
    while (item.retryAfterMs !== undefined) {
      await this.#waits.wait(item.retryAfterMs);
      if (this.#waits.isOver) return this.#return(item.message);
      item.retryAfterMs = undefined;
      await this.#messageReceiver.take(item);
    }
  }

  #newReceiver(routeInput: SourceInput): MessageReceiver<Item> {
    const { options, host, uri, deadLetters } = this.#parts;
    const withTrace = traceReader(host);
    const plain: Delivery = { pattern: options.exchangePattern ?? "InOnly", trigger: { uri } };
    const withReply: Delivery = { ...plain, pattern: options.exchangePattern ?? "InOut" };
    return new MessageReceiver<Item>(
      routeInput,
      {
        messageOf: ({ message }) => receivedMessage(message),
        deliveryOf: (item) => {
          const delivery = this.#replyTo(item) === undefined ? plain : { ...withReply, ended: (exchange: Exchange) => void (item.reply = exchange) };
          return withTrace(delivery, item.message.properties.headers?.["traceparent"]);
        },
        idOf: () => undefined,
        attemptsOf: ({ attempts }) => attempts,
        isRejected: (item) => this.#isRejected(item),
        settle: (item, outcome) => this.#settle(item, outcome),
      },
      {
        window: this.#window,
        maximumRedeliveries: options.acknowledgeMode === "NONE" ? 0 : options.maximumRetryAttempts,
        redeliveryDelay: options.retryDelay,
        backOffMultiplier: 1,
        maximumRedeliveryDelay: Math.max(options.retryDelay, 1),
        leaseMs: 0,
      },
      { clock: host.clock, deadLetters, failed: (problem) => this.#log("ERROR", problem) },
    );
  }

  #isRejected({ message }: Item): boolean {
    const { options } = this.#parts;
    return options.acknowledgeMode !== "NONE" && (!options.rejectAndDontRequeue || this.#parts.isDeadLettered(message.fields.routingKey));
  }

  #settle(item: Item, outcome: Outcome): Awaitable {
    const { message } = item;
    if (outcome.kind === "redeliver") {
      item.attempts = outcome.attempts;
      // A run is abandoned only when its route stops.
      if (outcome.waitMs === 0 && !outcome.counted) this.#return(message);
      else item.retryAfterMs = Math.max(outcome.waitMs, 1);
      return undefined;
    }
    if (!this.#parts.isOpen()) return undefined;
    if (outcome.kind === "done") {
      this.#returned = 0;
      if (item.reply !== undefined)
        return (
          this.#reply(item, item.reply)
            .catch((error: unknown) => this.#log("WARN", `cannot send the reply: ${toFlowError(error).message}`))
            // A request is settled even if its reply fails: unsettled, it would occupy the prefetch window.
            .then(() => this.#acknowledge(message))
        );
      return this.#acknowledge(message);
    }
    const isRejected = this.#isRejected(item);
    // Without an exchange no dead letter was written.
    if (!isRejected && outcome.exchange !== undefined) this.#acknowledge(message);
    else if (isRejected && this.#parts.options.rejectAndDontRequeue) this.#parts.acknowledgements.reject(message, false);
    else
      return this.#waits.wait(Math.min(this.#parts.options.retryDelay * 2 ** Math.min(this.#returned++, 10), maxRequeueMs)).then(() => this.#return(message));
    return undefined;
  }

  #log(level: "WARN" | "ERROR", text: string): void {
    this.#parts.host.log.write(level, "sluice.rabbitmq", `${this.#parts.uri}: ${text}`);
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
