// Receives messages of queues and topics; each is accepted when its run is done.
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
  type SourceInlet,
} from "@sluice/engine/spi";
import { Intake, type Verdict } from "../intake/intake.ts";
import { StoppableWaits, traceReader } from "../messaging/incoming.ts";
import { Prefetched } from "../messaging/prefetched.ts";
import { ownLink } from "../reconnecting/own-link.ts";
import { whileConnected, type Subscription } from "../reconnecting/while-connected.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import type { AmqpClient } from "./amqp-connection.ts";
import { AmqpSession } from "./amqp-session.ts";
import { destinationOf, isDurableSubscription, isTopicName, receiverOptions, type Destination } from "./destination.ts";
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

/** Messages that the broker may send before earlier ones are done, so that it does not wait for each of them. */
const prefetchCount = 100;
/** Messages that are processed at the same time with `asyncConsumer`. */
const maxConcurrent = 50;
const maxDelayMs = 60_000;

export function jmsSource({ options, uri }: Endpoint<JmsOptions>, shared: Connection<AmqpClient>, parts: JmsParts): Source {
  const { host } = parts;
  const connection = ownLink<AmqpClient, AmqpSession>(shared, {
    open: async (client, lost) => new AmqpSession(client, host.clock, lost),
    close: (session) => session.close(),
    failed: (problem) => host.log.write("DEBUG", "sluice.jms", `${uri}: ${String(problem)}`),
  });
  const begin = async (session: AmqpSession, inlet: SourceInlet): Promise<Subscription> => {
    const receiving = new Receiving(session, inlet, options, uri, parts);
    await receiving.start();
    return receiving;
  };
  const { recoveryInterval } = options;
  const running = whileConnected({ connection, host, begin, backOff: { firstMs: Math.min(250, recoveryInterval), maxMs: Math.max(recoveryInterval, 1) } });
  return {
    claims: [],
    exclusive: true,
    // With several workers, each topic subscription would get every message.
    everyWorker: !isTopicName(options.destinationName, options.destinationType) || options.subscriptionShared,
    async start(inlet) {
      if (options.testConnectionOnStartup) await shared.client();
      await running.start(inlet);
    },
    stop: () => running.stop(),
  };
}

class Receiving implements Subscription {
  readonly #session: AmqpSession;
  readonly #inlet: SourceInlet;
  readonly #options: JmsOptions;
  readonly #uri: string;
  readonly #parts: JmsParts;
  readonly #destination: Destination;
  readonly #intake: Intake<Item>;
  readonly #prefetched: Prefetched<Item>;
  readonly #waits: StoppableWaits;
  readonly #held = new Set<Promise<void>>();
  readonly #window: number;
  /** Messages that the broker may send without an acknowledgement. */
  readonly #granted: number;
  /** Credit that is not granted yet. */
  #credit = 0;
  #receiver: Rhea.Receiver | undefined = undefined;
  #replies: AmqpSession | undefined = undefined;

  constructor(session: AmqpSession, inlet: SourceInlet, options: JmsOptions, uri: string, parts: JmsParts) {
    this.#session = session;
    this.#inlet = inlet;
    this.#options = options;
    this.#uri = uri;
    this.#parts = parts;
    this.#destination = destinationOf(options.destinationName, options.destinationType, session.client);
    this.#waits = new StoppableWaits(parts.host.clock);
    const processed = Math.max(options.concurrentConsumers, options.maxConcurrentConsumers ?? 1);
    this.#window = options.asyncConsumer ? processed + maxConcurrent : processed;
    this.#granted = options.asyncConsumer ? this.#window : Math.max(this.#window, prefetchCount);
    this.#intake = this.#newIntake();
    this.#prefetched = new Prefetched({
      window: this.#window,
      work: (item) => this.#intake.take(item),
      release: ({ delivery }) => this.#finish(() => delivery.release()),
    });
  }

  async start(): Promise<void> {
    const { client } = this.#session;
    const link = receiverOptions(this.#destination, this.#options, this.#inlet.route, client.rhea);
    const take = (message: Rhea.Message, delivery: Rhea.Delivery): void => this.#prefetched.take({ message, delivery, attempts: 0, result: undefined });
    this.#receiver = await this.#session.openReceiver(link, take, this.#destination.address);
    this.#receiver.add_credit(this.#granted);
  }

  async stop(): Promise<void> {
    this.#waits.end();
    await this.#prefetched.stop();
    await Promise.all(this.#held);
    await this.#replies?.close();
    // Closing the link of a durable subscription would end the subscription.
    if (this.#session.isOpen && isDurableSubscription(this.#options, this.#destination)) this.#receiver?.detach();
  }

  #newIntake(): Intake<Item> {
    const { exchangePattern, maximumRedeliveries, redeliveryDelay } = this.#options;
    const { host, deadLetters } = this.#parts;
    const withTrace = traceReader(host);
    const plain: Delivery = { pattern: exchangePattern ?? "InOnly", trigger: { uri: this.#uri } };
    const withReply: Delivery = { ...plain, pattern: exchangePattern ?? "InOut" };
    return new Intake<Item>(
      this.#inlet,
      {
        messageOf: ({ message, attempts }) => receivedMessage(message, this.#destination.address, attempts),
        deliveryOf: (item) => {
          const delivery = this.#replyTo(item) === undefined ? plain : { ...withReply, ended: (exchange: Exchange) => void (item.result = exchange) };
          return withTrace(delivery, (item.message.application_properties as Record<string, unknown> | undefined)?.["traceparent"]);
        },
        idOf: () => undefined,
        attemptsOf: ({ message, attempts }) => (message.delivery_count ?? 0) + attempts,
        settle: (item, verdict) => this.#settle(item, verdict),
      },
      { window: this.#window, maximumRedeliveries, redeliveryDelay, backOffMultiplier: 2, maximumRedeliveryDelay: maxDelayMs, leaseMs: 0 },
      { clock: host.clock, deadLetters, failed: (problem) => host.log.write("ERROR", "sluice.jms", `${this.#uri}: ${problem}`) },
    );
  }

  #settle(item: Item, verdict: Verdict): Awaitable {
    const { delivery } = item;
    if (verdict.kind === "redeliver") return this.#hold(item, verdict.waitMs, verdict.counted);
    if (verdict.kind === "done" && item.result !== undefined) return this.#reply(item, item.result).then(() => this.#finish(() => delivery.accept()));
    // A message that could not be parsed has no dead letter: the broker decides what happens to it.
    if (verdict.kind === "dead-letter" && verdict.exchange === undefined)
      this.#finish(() => delivery.reject({ condition: "amqp:decode-error", description: verdict.failure.message }));
    else this.#finish(() => delivery.accept());
    return undefined;
  }

  /** Delays a message without blocking others; then it is returned to the broker or retried here. */
  #hold(item: Item, waitMs: number, isCounted: boolean): void {
    const holding = this.#waits.wait(waitMs).then(() => {
      this.#held.delete(holding);
      if (this.#waits.isOver && !isCounted) return this.#finish(() => item.delivery.release());
      if (this.#session.client.countsFailures && isCounted)
        return this.#finish(() => item.delivery.modified({ delivery_failed: true, undeliverable_here: false }));
      if (isCounted) item.attempts++;
      return this.#prefetched.take(item);
    });
    this.#held.add(holding);
  }

  /** Settles a delivery and grants credit for another; without a session the broker redelivers it. */
  #finish(settle: () => void): void {
    if (!this.#session.isOpen) return;
    settle();
    // The client writes acknowledgements and credit separately in the next tick, which is before the end of this one.
    this.#session.combineWrites();
    const receiver = this.#receiver;
    if (this.#waits.isOver || receiver === undefined) return;
    this.#credit++;
    // Each grant is a frame, so several are combined while the broker can still send.
    if (receiver.has_credit() && this.#credit < this.#granted / 4) return;
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
    const reply = messageToSend(result, this.#options, { rhea: this.#session.client.rhea, id: `ID:${host.ids.next()}`, now: host.clock.now() });
    const correlation: unknown = message.correlation_id ?? message.message_id;
    // A separate session, because a broker ends a session that names a queue that does not exist.
    if (this.#replies?.isOpen !== true) this.#replies = new AmqpSession(this.#session.client, host.clock);
    try {
      await this.#replies.send(destination, { ...reply, ...(correlation === undefined ? {} : { correlation_id: correlation as string }) });
    } catch (thrown) {
      host.log.write("WARN", "sluice.jms", `${this.#uri}: a reply could not be sent: ${toFlowError(thrown).message}`);
    }
  }
}
