// Queues on JetStream. The stream contains exactly the unsettled messages: settling one deletes its sequence. Acknowledgements only
// prevent redelivery by the consumer, because a work queue of nats-server 2.9 keeps acknowledged messages after a failover.
import type { Consumption, Log, QueueContent, QueueDepth, PutOptions, QueueReceiver, Queues } from "@sluice/engine";
import { isClusterError } from "@sluice/engine";
import type { JsMsg } from "@nats-io/jetstream";
import { systemClock } from "../../host/clock.ts";
import { settleOnce, Unsettled } from "../unsettled.ts";
import { NatsDelays, publishDelayed } from "./nats-delays.ts";
import { consumerPrefix, IdleConsumers } from "./nats-idle-consumers.ts";
import { NatsKeyedMessages } from "./nats-keyed-messages.ts";
import { deleteSequence, tokenOf, type NatsLink } from "./nats-link.ts";
import { retryWhileConnected, publishQueued } from "./nats-publish.ts";
import { NatsPull } from "./nats-pull.ts";
import { attemptsOf, decodeQueued, encodeQueued, queueOfSubject, queueStreamOf, queueSubjectOf } from "./nats-queue-message.ts";

const maxPending = 10_000;

export interface NatsQueueParts {
  readonly log: Log;
  /** A message is delivered again when its node has not renewed the lease for this long. */
  readonly leaseMs: number;
}

export class NatsQueues implements Queues {
  readonly #link: NatsLink;
  readonly #parts: NatsQueueParts;
  readonly #delays: NatsDelays;
  readonly #idle: IdleConsumers;
  /** The names of the consumers that this node uses, once for each consumption. */
  readonly #consumed: string[] = [];

  constructor(link: NatsLink, parts: NatsQueueParts) {
    this.#link = link;
    this.#parts = parts;
    this.#delays = new NatsDelays(link);
    this.#idle = new IdleConsumers(link, (name) => this.#consumed.includes(name));
  }

  async put(queue: string, message: QueueContent, { id, key, delayMs }: PutOptions): Promise<void> {
    const link = this.#link;
    const data = encodeQueued(link, { id, key, message });
    const subject = queueSubjectOf(link, queue, key !== undefined);
    if (delayMs > 0) await publishDelayed(link, { subject, data, id, attempts: 0, delayMs });
    else await publishQueued(link, { subject, data, id, attempts: 0 });
  }

  async depths(): Promise<readonly QueueDepth[]> {
    const { jsm } = this.#link;
    const { state } = await jsm.streams.info(queueStreamOf(this.#link), { subjects_filter: ">" });
    const depths = new Map<string, number>();
    for (const [subject, count] of Object.entries(state.subjects ?? {})) {
      const queue = queueOfSubject(this.#link, subject);
      depths.set(queue, (depths.get(queue) ?? 0) + count);
    }
    return [...depths].map(([queue, depth]) => ({ queue, depth, bytes: undefined }));
  }

  consume(queue: string, consumer: QueueReceiver): Consumption {
    const name = consumerPrefix + tokenOf(queue);
    this.#consumed.push(name);
    const stopped = (): void => void this.#consumed.splice(this.#consumed.indexOf(name), 1);
    return new NatsConsumption(this.#link, { ...this.#parts, name, stopped }, queue, consumer);
  }

  close(): void {
    this.#delays.stop();
    this.#idle.stop();
  }
}

interface ConsumptionParts extends NatsQueueParts {
  /** The name of the consumer. */
  readonly name: string;
  stopped(): void;
}

class NatsConsumption implements Consumption {
  readonly #link: NatsLink;
  readonly #parts: ConsumptionParts;
  readonly #queue: string;
  readonly #receiver: QueueReceiver;
  /** Messages without a key. */
  readonly #held = new Unsettled<JsMsg>();
  /** Undefined when all messages have a key. */
  readonly #pull: NatsPull | undefined;
  readonly #keyedMessages: NatsKeyedMessages;
  /** Messages whose lease ended because this process was suspended or disconnected: another node may have them now. */
  readonly #expired = new WeakSet<JsMsg>();
  #renewedAt = systemClock.monotonic();
  #cancelRenewal: () => void = () => undefined;
  #isStopped = false;

  constructor(link: NatsLink, parts: ConsumptionParts, queue: string, receiver: QueueReceiver) {
    this.#link = link;
    this.#parts = parts;
    this.#queue = queue;
    this.#receiver = receiver;
    const capacity = (): number => receiver.concurrency() - this.#held.size - this.#keyedMessages.unsettled.size;
    this.#keyedMessages = new NatsKeyedMessages(link, { queue, receiver, capacity, settled: () => this.refresh(), failed: (error) => this.#failed(error) });
    this.#renewLater();
    if (receiver.isExclusive === true) return;
    this.#pull = new NatsPull(link, {
      stream: queueStreamOf(link),
      consumer: {
        durable_name: parts.name,
        filter_subject: queueSubjectOf(link, queue, false),
        ack_policy: link.jetstream.AckPolicy.Explicit,
        ack_wait: parts.leaseMs * 1e6,
        max_deliver: -1,
        max_ack_pending: maxPending,
      },
      capacity,
      isChecker: () => receiver.keyToken() !== undefined,
      received: (message) => this.#received(message),
    });
  }

  refresh(): void {
    this.#pull?.refresh();
    this.#keyedMessages.refresh();
  }

  keysSettled(): Promise<void> {
    return this.#keyedMessages.unsettled.whenEmpty();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#pull?.stop();
    this.#keyedMessages.stop();
    await Promise.all([this.#held.whenEmpty(), this.#keyedMessages.unsettled.whenEmpty()]);
    this.#cancelRenewal();
    this.#parts.stopped();
  }

  #received(original: JsMsg): void {
    // The message waited in the socket while this process was suspended.
    if (!this.#isStopped && this.#receiver.concurrency() === 0) return;
    this.#held.add(original);
    const { id, message } = decodeQueued(original.data);
    const attempt = attemptsOf(original.headers) + original.info.deliveryCount;
    const storeCopy = (attempts: number, delayMs: number): Promise<void> => {
      const copy = { subject: queueSubjectOf(this.#link, this.#queue, false), data: original.data, id: `${id}/${attempts}/${original.seq}`, attempts };
      // The copy is stored before the message is deleted: a crash in between delivers it twice.
      return delayMs > 0 ? publishDelayed(this.#link, { ...copy, delayMs }) : publishQueued(this.#link, copy);
    };
    const settling = settleOnce({
      done: () => this.#settle(original),
      retry: (delayMs: number) => void this.#settle(original, { store: () => storeCopy(attempt, delayMs), delayMs }),
      requeue: () => void this.#settle(original, { store: () => storeCopy(attempt - 1, 0), delayMs: 0 }),
    });
    if (this.#isStopped) settling.requeue();
    else this.#receiver.deliver({ id, key: undefined, message, attempt, ...settling });
  }

  async #settle(original: JsMsg, copy?: { store(): Promise<void>; readonly delayMs: number }): Promise<void> {
    const link = this.#link;
    try {
      // Another node may be processing the message, and would process the copy too. Without a copy, the message is delivered again when the lease ends.
      if (copy !== undefined && this.#isExpired(original)) return;
      if (copy !== undefined) await retryWhileConnected(link, () => copy.store());
      await retryWhileConnected(link, () => deleteSequence(link, queueStreamOf(link), original.seq));
      original.ack();
    } catch (error) {
      // There is no space for a copy: the message itself is delivered again.
      if (isClusterError(error) && error.kind === "full") original.nak(copy?.delayMs);
      // The message is delivered again when its lease has ended.
      else this.#failed(error);
    } finally {
      this.#held.delete(original);
      this.refresh();
    }
  }

  #renewLater(): void {
    this.#cancelRenewal = systemClock.after(this.#parts.leaseMs / 3, () => {
      // A pending timer would keep the process alive after a failed start.
      if (this.#link.connection.isClosed()) return;
      if (this.#link.isUp) this.#renew();
      this.#renewLater();
    });
  }

  #renew(): void {
    for (const original of this.#held) {
      if (this.#isExpired(original)) this.#expired.add(original);
      // Also after an interruption: no other node has it if the store was unavailable.
      original.working();
    }
    this.#renewedAt = systemClock.monotonic();
  }

  #isExpired(original: JsMsg): boolean {
    return this.#expired.has(original) || systemClock.monotonic() - this.#renewedAt > this.#parts.leaseMs;
  }

  #failed(error: unknown): void {
    if (!this.#link.connection.isClosed())
      this.#parts.log.write("ERROR", "sluice.queue", `Cannot settle a message of queue '${this.#queue}': ${(error as Error).message}`);
  }
}
