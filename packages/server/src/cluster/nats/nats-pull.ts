// Pulls messages from a durable JetStream consumer, never more than there is capacity for: a message that waits on a node that dies would
// count as an attempt.
import type { Consumer, ConsumerConfig, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { systemClock } from "../../host/clock.ts";
import { retryOperation } from "../retry-operation.ts";
import { storeLink, type NatsLink } from "./nats-link.ts";
import { LostAcks } from "./nats-lost-acks.ts";

const expiresMs = 5_000;
/**
 * Requests that have not ended after this time are closed. The client stops its own timer when it is disconnected, and restarts it only when the consumer
 * responds, which may take a long time after a failover.
 */
const overdueMs = expiresMs + 1_000;
const intervalMs = 1_000;
/** Nodes that create a consumer at the same time may get an error. */
const reopenMs = 200;
const maxBatch = 64;
/** Minimum time between two checks of the consumer, unless the connection was lost in between. */
const checkMs = 10_000;

/** The client has this option but not its type; without it, a consumer with other settings is an error. */
const createOrUpdate: object = { action: "" };

export interface PullParts {
  readonly stream: string;
  readonly consumer: Partial<ConsumerConfig> & { readonly durable_name: string; readonly filter_subject: string };
  /** How many messages can be received now. */
  capacity(): number;
  /** True on the node that checks the consumer for lost acknowledgements. */
  isChecker(): boolean;
  received(message: JsMsg): void;
}

export class NatsPull {
  readonly #link: NatsLink;
  readonly #parts: PullParts;
  readonly #lostAcks: LostAcks;
  readonly #fetches = new Set<ConsumerMessages>();
  #consumer: Consumer | undefined = undefined;
  /** Messages that the server may send. */
  #requested = 0;
  #isStopped = false;
  #isPlanned = false;
  #checkedAt = -Infinity;
  #checkedReconnects = 0;
  #cancel: (() => void) | undefined = undefined;

  constructor(link: NatsLink, parts: PullParts) {
    this.#link = link;
    this.#parts = parts;
    const { durable_name: name, filter_subject: subject } = parts.consumer;
    this.#lostAcks = new LostAcks(link, { stream: parts.stream, name, subject });
    void this.#open();
  }

  /** Call when there may be more capacity. */
  refresh(): void {
    if (this.#isPlanned || this.#isStopped) return;
    this.#isPlanned = true;
    // One request replaces all messages that are settled together.
    setImmediate(() => {
      this.#isPlanned = false;
      this.#request();
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    for (const messages of this.#fetches) void messages.close();
  }

  async #open(): Promise<void> {
    const { stream, consumer } = this.#parts;
    const link = this.#link;
    try {
      await retryOperation(storeLink(link), () => link.jsm.consumers.add(stream, consumer, createOrUpdate));
      this.#consumer = await retryOperation(storeLink(link), () => link.js.consumers.get(stream, consumer.durable_name));
      this.#request();
    } catch {
      // Tried again below: the link reports lost connections.
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isStopped || this.#link.connection.isClosed()) return;
    this.#cancel = systemClock.after(this.#consumer === undefined ? reopenMs : intervalMs, () => {
      if (this.#consumer === undefined) return void this.#open();
      this.#request();
      this.#schedule();
    });
  }

  #request(): void {
    const count = Math.min(maxBatch, this.#parts.capacity() - this.#requested);
    if (count > 0 && !this.#isStopped && this.#link.isUp && this.#consumer !== undefined) void this.#fetch(this.#consumer, count);
  }

  async #fetch(consumer: Consumer, count: number): Promise<void> {
    this.#requested += count;
    let remaining = count;
    let messages: ConsumerMessages | undefined;
    let cancelOverdue = (): void => undefined;
    try {
      messages = await consumer.fetch({ max_messages: count, expires: expiresMs });
      this.#fetches.add(messages);
      const fetched = messages;
      cancelOverdue = systemClock.after(overdueMs, () => void fetched.close());
      for await (const message of messages) {
        remaining--;
        this.#requested--;
        this.#parts.received(message);
      }
      this.refresh();
    } catch {
      // The consumer may be gone, for example after a restore of the store: the next round creates it again.
      this.#consumer = undefined;
    } finally {
      cancelOverdue();
      this.#requested -= remaining;
      if (messages !== undefined) this.#fetches.delete(messages);
    }
    if (remaining === count) await this.#check();
  }

  /**
   * Checks the consumer after a request without messages: either there are none, or the consumer is blocked. Every node checks after a lost connection,
   * because the server may have crashed.
   */
  async #check(): Promise<void> {
    const { reconnects, isUp } = this.#link;
    const isDue = this.#parts.isChecker() && systemClock.monotonic() - this.#checkedAt > checkMs;
    if (this.#isStopped || !isUp || (!isDue && reconnects === this.#checkedReconnects)) return;
    this.#checkedAt = systemClock.monotonic();
    this.#checkedReconnects = reconnects;
    // Errors are ignored: a later request checks again.
    if ((await this.#lostAcks.repair().catch(() => 0)) > 0) this.#checkedReconnects = -1;
  }
}
