// Receives messages from queues and topics; each message is accepted when its run is done.
import type * as Rhea from "rhea";
import {
  toFlowError,
  type Awaitable,
  type Connection,
  type Delivery,
  type Endpoint,
  type Exchange,
  type Host,
  type Source,
  type SourceInput,
} from "@sluice/engine/spi";
import { MessageReceiver, type Outcome } from "../message-receiver/message-receiver.ts";
import { CancellableDelays, traceReader } from "../messaging/incoming.ts";
import { collectBody } from "../messaging/outgoing.ts";
import { Prefetched } from "../messaging/prefetched.ts";
import { dedicatedLink } from "../reconnecting/dedicated-link.ts";
import { whileConnected, type Subscription } from "../reconnecting/while-connected.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import type { AmqpClient } from "./amqp-connection.ts";
import { AmqpSession } from "./amqp-session.ts";
import { destinationOf, isDurableSubscription, isTopicName, receiverOptions, requireClientId, type Destination } from "./destination.ts";
import { messageToSend, receivedMessage } from "./jms-message.ts";
import type { JmsOptions } from "./jms-options.ts";

export interface JmsParts {
  readonly host: Host;
  readonly deadLetters: DeadLetters;
}

interface Item {
  readonly message: Rhea.Message;
  readonly delivery: Rhea.Delivery;
  /** Failed attempts in this process, for brokers that do not count them. */
  attempts: number;
  result: Exchange | undefined;
}

/** Number of messages to prefetch, so that the broker does not wait for each one to be settled. */
const prefetchCount = 100;
/** Added to the number of concurrent messages with `asyncConsumer`. */
const additionalConcurrency = 50;
const maxDelayMs = 60_000;

export function jmsSource({ options, uri }: Endpoint<JmsOptions>, shared: Connection<AmqpClient>, parts: JmsParts): Source {
  const { host } = parts;
  const connection = dedicatedLink<AmqpClient, AmqpSession>(shared, {
    open: async (client, lost) => new AmqpSession(client, host.clock, lost),
    close: (session) => session.close(),
    failed: (problem) => host.log.write("DEBUG", "sluice.jms", `${uri}: ${String(problem)}`),
  });
  const begin = async (session: AmqpSession, routeInput: SourceInput): Promise<Subscription> => {
    const subscription = new JmsSubscription(session, routeInput, options, uri, parts);
    await subscription.start();
    return subscription;
  };
  const { recoveryInterval } = options;
  const running = whileConnected({ connection, host, begin, backOff: { firstMs: Math.min(250, recoveryInterval), maxMs: Math.max(recoveryInterval, 1) } });
  return {
    claims: [],
    exclusive: true,
    // With several workers, each topic subscription would get every message.
    everyWorker: !isTopicName(options.destinationName, options.destinationType) || options.subscriptionShared,
    async start(routeInput) {
      if (options.testConnectionOnStartup) await shared.client();
      if (options.autoStartup) await running.start(routeInput);
    },
    stop: () => running.stop(),
  };
}

class JmsSubscription implements Subscription {
  readonly #session: AmqpSession;
  readonly #routeInput: SourceInput;
  readonly #options: JmsOptions;
  readonly #uri: string;
  readonly #parts: JmsParts;
  readonly #destination: Destination;
  readonly #messageReceiver: MessageReceiver<Item>;
  readonly #prefetched: Prefetched<Item>;
  readonly #waits: CancellableDelays;
  /** Delays of messages that wait for a retry. */
  readonly #delays = new Set<Promise<void>>();
  readonly #window: number;
  /** Maximum number of messages that the broker may send before any is settled. */
  readonly #maxCredit: number;
  /** Credit that is not granted yet. */
  #credit = 0;
  #receiver: Rhea.Receiver | undefined = undefined;
  #replies: AmqpSession | undefined = undefined;

  constructor(session: AmqpSession, routeInput: SourceInput, options: JmsOptions, uri: string, parts: JmsParts) {
    this.#session = session;
    this.#routeInput = routeInput;
    this.#options = options;
    this.#uri = uri;
    this.#parts = parts;
    this.#destination = destinationOf(options.destinationName, options.destinationType, session.client);
    this.#waits = new CancellableDelays(parts.host.clock);
    const concurrency = Math.max(options.concurrentConsumers, options.maxConcurrentConsumers ?? 1);
    this.#window = options.asyncConsumer ? concurrency + additionalConcurrency : concurrency;
    this.#maxCredit = options.asyncConsumer ? this.#window : Math.max(this.#window, prefetchCount);
    this.#messageReceiver = this.#newReceiver();
    this.#prefetched = new Prefetched({
      window: this.#window,
      work: (item) => this.#messageReceiver.take(item),
      release: ({ delivery }) => this.#finish(() => delivery.release()),
    });
  }

  async start(): Promise<void> {
    const { client } = this.#session;
    requireClientId(this.#options, this.#destination, client);
    const link = receiverOptions(this.#destination, this.#options, this.#routeInput.route, client.rhea);
    const receive = (message: Rhea.Message, delivery: Rhea.Delivery): void => this.#prefetched.take({ message, delivery, attempts: 0, result: undefined });
    this.#receiver = await this.#session.openReceiver(link, receive, this.#destination.address);
    this.#receiver.add_credit(this.#maxCredit);
  }

  async stop(): Promise<void> {
    this.#waits.end();
    await this.#prefetched.stop();
    await Promise.all(this.#delays);
    await this.#replies?.close();
    // Closing the link of a durable subscription would end the subscription.
    if (this.#session.isOpen && isDurableSubscription(this.#options, this.#destination)) this.#receiver?.detach();
  }

  #newReceiver(): MessageReceiver<Item> {
    const { exchangePattern, maximumRedeliveries, redeliveryDelay } = this.#options;
    const { host, deadLetters } = this.#parts;
    const withTrace = traceReader(host);
    const oneWay: Delivery = { pattern: exchangePattern ?? "InOnly", trigger: { uri: this.#uri } };
    const withReply: Delivery = { ...oneWay, pattern: exchangePattern ?? "InOut" };
    return new MessageReceiver<Item>(
      this.#routeInput,
      {
        messageOf: ({ message, attempts }) => receivedMessage(message, this.#destination.address, attempts),
        deliveryOf: (item) => {
          const delivery = this.#replyTo(item) === undefined ? oneWay : { ...withReply, ended: (exchange: Exchange) => void (item.result = exchange) };
          return withTrace(delivery, (item.message.application_properties as Record<string, unknown> | undefined)?.["traceparent"]);
        },
        idOf: () => undefined,
        attemptsOf: ({ message, attempts }) => (message.delivery_count ?? 0) + attempts,
        settle: (item, outcome) => this.#settle(item, outcome),
      },
      { window: this.#window, maximumRedeliveries, redeliveryDelay, backOffMultiplier: 2, maximumRedeliveryDelay: maxDelayMs, leaseMs: 0 },
      { clock: host.clock, deadLetters, failed: (problem) => host.log.write("ERROR", "sluice.jms", `${this.#uri}: ${problem}`) },
    );
  }

  #settle(item: Item, outcome: Outcome): Awaitable {
    const { delivery } = item;
    if (outcome.kind === "redeliver") return this.#delay(item, outcome.waitMs, outcome.counted);
    if (outcome.kind === "done" && item.result !== undefined) return this.#reply(item, item.result).then(() => this.#finish(() => delivery.accept()));
    // A message that could not be parsed has no dead letter: the broker decides what happens to it.
    if (outcome.kind === "dead-letter" && outcome.exchange === undefined)
      this.#finish(() => delivery.reject({ condition: "amqp:decode-error", description: outcome.failure.message }));
    else this.#finish(() => delivery.accept());
    return undefined;
  }

  /** Delays a message without blocking others; then it is returned to the broker or retried here. */
  #delay(item: Item, waitMs: number, isCounted: boolean): void {
    const delay = this.#waits.wait(waitMs).then(() => {
      this.#delays.delete(delay);
      if (this.#waits.isOver && !isCounted) return this.#finish(() => item.delivery.release());
      if (this.#session.client.countsFailures && isCounted)
        return this.#finish(() => item.delivery.modified({ delivery_failed: true, undeliverable_here: false }));
      if (isCounted) item.attempts++;
      return this.#prefetched.take(item);
    });
    this.#delays.add(delay);
  }

  /** Settles a delivery and grants credit for another one. On a closed session it does nothing: the broker redelivers the message. */
  #finish(settle: () => void): void {
    if (!this.#session.isOpen) return;
    settle();
    // The client writes acknowledgements and credit in its own nextTick callback, which runs before the one that sends the combined writes.
    this.#session.combineWrites();
    const receiver = this.#receiver;
    if (this.#waits.isOver || receiver === undefined) return;
    this.#credit++;
    // Each grant is a frame, so several are combined while the broker can still send.
    if (receiver.has_credit() && this.#credit < this.#maxCredit / 4) return;
    receiver.add_credit(this.#credit);
    this.#credit = 0;
  }

  #replyTo({ message }: Item): Destination | undefined {
    const { replyTo, disableReplyTo } = this.#options;
    if (disableReplyTo) return undefined;
    const { client } = this.#session;
    if (replyTo !== undefined) return destinationOf(replyTo, "queue", client);
    if (typeof message.reply_to !== "string" || message.reply_to === "") return undefined;
    return { ...destinationOf("", "queue", client), address: message.reply_to };
  }

  /** The reply uses the connection of the request. A requester that has disconnected does not fail the run. */
  async #reply(item: Item, result: Exchange): Promise<void> {
    const destination = this.#replyTo(item);
    if (destination === undefined || result.pattern !== "InOut" || !this.#session.isOpen) return;
    const { host } = this.#parts;
    const { message } = item;
    const correlation: unknown = message.correlation_id ?? message.message_id;
    // A request is settled even if its reply fails: unsettled, it would occupy the credit of the source.
    try {
      await collectBody(result.message);
      const options = { ...this.#options, deliveryMode: undefined, deliveryPersistent: this.#options.replyToDeliveryPersistent };
      const reply = messageToSend(result, options, { rhea: this.#session.client.rhea, id: `ID:${host.ids.next()}`, now: host.clock.now() });
      // A separate session, because a broker ends the session when the reply queue does not exist.
      if (this.#replies?.isOpen !== true) this.#replies = new AmqpSession(this.#session.client, host.clock);
      await this.#replies.send(destination, { ...reply, ...(correlation === undefined ? {} : { correlation_id: correlation as string }) });
    } catch (error) {
      host.log.write("WARN", "sluice.jms", `${this.#uri}: cannot send the reply: ${toFlowError(error).message}`);
    }
  }
}
