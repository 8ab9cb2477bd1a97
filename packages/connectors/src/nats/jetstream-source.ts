// JetStream: messages are pulled when the route has capacity and acknowledged when their runs are done.
import type { ConsumeMessages, Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { toFlowError, type Awaitable, type Connection, type Delivery, type Endpoint, type Source, type SourceInput } from "@sluice/engine/spi";
import { MessageReceiver } from "../message-receiver/message-receiver.ts";
import { combineUntilImmediate } from "../messaging/combine-writes.ts";
import { every, routeName, CancellableDelays, traceReader } from "../messaging/incoming.ts";
import { whileConnected, type Subscription } from "../reconnecting/while-connected.ts";
import { socketOf, type NatsClient } from "./nats-connection.ts";
import { receivedMessage, streamHeaders } from "./nats-message.ts";
import type { NatsOptions } from "./nats-options.ts";
import { reconnectingOf, type NatsParts } from "./nats-source.ts";

interface Item {
  readonly message: JsMsg;
  /** Set when the route is at its in-flight limit: the message is retried after this delay. */
  retryAfterMs: number | undefined;
}

export function jetstreamSource({ options, uri }: Endpoint<NatsOptions>, connection: Connection<NatsClient>, parts: NatsParts): Source {
  const begin = async (client: NatsClient, routeInput: SourceInput): Promise<Subscription> => {
    const subscription = new JetStreamSubscription(client, routeInput, options, uri, parts);
    await subscription.start();
    return subscription;
  };
  return { claims: [], exclusive: true, everyWorker: true, ...whileConnected({ connection, host: parts.host, begin, ...reconnectingOf(options) }) };
}

/** A fetch that has not ended this long after its time limit is closed. */
const overdueMs = 1_000;

class JetStreamSubscription implements Subscription {
  readonly #client: NatsClient;
  readonly #routeInput: SourceInput;
  readonly #options: NatsOptions;
  readonly #uri: string;
  readonly #parts: NatsParts;
  readonly #messageReceiver: MessageReceiver<Item>;
  readonly #waits: CancellableDelays;
  /**
   * Messages that are not settled, including those that wait for a retry. Their acknowledgement deadline is extended periodically, because the
   * server would redeliver them otherwise.
   */
  readonly #inProgress = new Map<JsMsg, Promise<void>>();
  readonly #window: number;
  #fetching: ConsumerMessages | undefined = undefined;
  #loop: Promise<void> = Promise.resolve();
  #stopHeartbeat = (): void => undefined;
  #resumePulling = (): void => undefined;

  constructor(client: NatsClient, routeInput: SourceInput, options: NatsOptions, uri: string, parts: NatsParts) {
    this.#client = client;
    this.#routeInput = routeInput;
    this.#options = options;
    this.#uri = uri;
    this.#parts = parts;
    this.#waits = new CancellableDelays(parts.host.clock);
    // With `All`, an acknowledgement covers all earlier messages, so only one may be in progress.
    this.#window = options.ackPolicy === "All" ? 1 : options.poolSize;
    this.#messageReceiver = this.#newReceiver();
  }

  async start(): Promise<void> {
    const consumer = await this.#consumer();
    const { clock } = this.#parts.host;
    this.#stopHeartbeat = every(clock, Math.max(this.#options.ackWait / 3, 100), () => {
      if (this.#options.ackPolicy !== "None") for (const message of this.#inProgress.keys()) message.working();
    });
    this.#loop = this.#pull(consumer);
  }

  async stop(): Promise<void> {
    this.#waits.end();
    this.#resumePulling();
    // Fetched messages that were not started are returned; a pending fetch is cancelled.
    await this.#fetching?.close();
    await this.#loop;
    await Promise.all(this.#inProgress.values());
    this.#stopHeartbeat();
  }

  #newReceiver(): MessageReceiver<Item> {
    const { maxDeliver, maximumRedeliveries, nackWait, ackPolicy } = this.#options;
    const isAcknowledged = ackPolicy !== "None";
    const socket = socketOf(this.#client);
    const withTrace = traceReader(this.#parts.host);
    const delivery: Delivery = { pattern: this.#options.exchangePattern ?? "InOnly", trigger: { uri: this.#uri } };
    return new MessageReceiver<Item>(
      this.#routeInput,
      {
        messageOf: ({ message }) => receivedMessage(message, streamHeaders.of(message)),
        deliveryOf: ({ message }) => withTrace(delivery, message.headers?.get("traceparent")),
        // The server counts the deliveries.
        idOf: () => undefined,
        attemptsOf: ({ message }) => message.info.deliveryCount - 1,
        settle(item, outcome) {
          if (outcome.kind === "redeliver" && !outcome.counted && outcome.waitMs > 0) {
            item.retryAfterMs = outcome.waitMs;
            return;
          }
          if (!isAcknowledged) return;
          // The client flushes after each message of a fetch.
          combineUntilImmediate(socket);
          if (outcome.kind === "redeliver") item.message.nak(outcome.waitMs);
          else item.message.ack();
        },
      },
      {
        window: this.#window,
        // The server does not redeliver messages that need no acknowledgement.
        maximumRedeliveries: isAcknowledged ? (maxDeliver === undefined ? maximumRedeliveries : maxDeliver - 1) : 0,
        redeliveryDelay: nackWait,
        backOffMultiplier: 1,
        maximumRedeliveryDelay: Math.max(nackWait, 1),
        leaseMs: 0,
        cannotRedeliver: !isAcknowledged,
      },
      { clock: this.#parts.host.clock, deadLetters: this.#parts.deadLetters, failed: (problem) => this.#log("ERROR", problem) },
    );
  }

  /** The consumer of the stream. Both are created if they do not exist, as in Camel. */
  async #consumer(): Promise<Consumer> {
    const { topic, ackPolicy, ackWait, durableName } = this.#options;
    const { connection, jetstream, transport } = this.#client;
    const manager = await jetstream.jetstreamManager(connection);
    const stream = this.#options.jetstreamName ?? (await manager.streams.find(topic));
    await manager.streams.info(stream).catch((error: unknown) => {
      if ((error as { code?: number }).code !== jetstream.JetStreamApiCodes.StreamNotFound) throw error;
      return manager.streams.add({ name: stream, subjects: [topic] });
    });
    const name = durableName ?? routeName(this.#routeInput.route);
    await manager.consumers.add(stream, {
      durable_name: name,
      filter_subject: topic,
      ack_policy: jetstream.AckPolicy[ackPolicy],
      ack_wait: transport.nanos(ackWait),
      // The server would drop a message at its delivery limit, so redeliveries are counted here.
      max_deliver: -1,
    });
    return jetstream.jetstream(connection).consumers.get(stream, name);
  }

  async #pull(first: Consumer): Promise<void> {
    let consumer: Consumer | undefined = first;
    let isLost = false;
    while (!this.#waits.isOver && !this.#client.connection.isClosed()) {
      if (this.#inProgress.size >= this.#window) {
        await new Promise<void>((resolve) => (this.#resumePulling = resolve));
        continue;
      }
      try {
        consumer ??= await this.#consumer();
        await this.#fetch(consumer);
        if (isLost) this.#routeInput.lost(undefined);
        isLost = false;
      } catch (error) {
        if (this.#waits.isOver || this.#client.connection.isClosed()) return;
        consumer = undefined;
        isLost = true;
        this.#routeInput.lost(`JetStream: ${toFlowError(error).message}`);
        await this.#waits.wait(this.#options.reconnectTimeWait);
      }
    }
  }

  async #fetch(consumer: Consumer): Promise<void> {
    const { pullBatchSize, pullFetchTimeout } = this.#options;
    const expires = Math.max(pullFetchTimeout, 1000);
    const request: ConsumeMessages = {
      max_messages: Math.min(pullBatchSize, this.#window - this.#inProgress.size),
      expires,
      // A callback, because the client's iterator takes as long as the run of a short route. The client's types declare this option only for `consume`,
      // which cannot be bounded.
      callback: (message) => {
        if (this.#waits.isOver) message.nak();
        else this.#process(message);
      },
    };
    const messages = await consumer.fetch(request);
    this.#fetching = messages;
    if (this.#waits.isOver) await messages.close();
    // The client stops its own timer when it is disconnected, and starts it again only when the consumer responds.
    const cancelOverdue = this.#parts.host.clock.after(expires + overdueMs, () => void messages.close());
    try {
      const error = await messages.closed();
      if (error !== undefined) throw error;
    } finally {
      cancelOverdue();
      this.#fetching = undefined;
    }
  }

  #process(message: JsMsg): void {
    const item: Item = { message, retryAfterMs: undefined };
    const pending = this.#messageReceiver.take(item);
    if (pending !== undefined || item.retryAfterMs !== undefined) this.#inProgress.set(message, this.#repeat(item, pending));
  }

  async #repeat(item: Item, pending: Awaitable): Promise<void> {
    const { message } = item;
    await pending;
    while (item.retryAfterMs !== undefined) {
      await this.#waits.wait(item.retryAfterMs);
      if (this.#waits.isOver) {
        message.nak();
        break;
      }
      item.retryAfterMs = undefined;
      await this.#messageReceiver.take(item);
    }
    this.#inProgress.delete(message);
    this.#resumePulling();
  }

  #log(level: "WARN" | "ERROR", text: string): void {
    this.#parts.host.log.write(level, "sluice.nats", `${this.#uri}: ${text}`);
  }
}
