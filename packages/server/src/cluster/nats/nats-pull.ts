// Takes messages from a durable consumer of JetStream, never more than there is room for: a message that waited on a node that dies would
// count as an attempt.
import type { Consumer, ConsumerConfig, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { systemClock } from "../../host/clock.ts";
import { persist } from "../persist.ts";
import { storeLink, type NatsLink } from "./nats-link.ts";
import { LostAcks } from "./nats-lost-acks.ts";

const expiresMs = 5_000;
/**
 * A request is over by then. The client stops its own timer when it is disconnected, and starts it again only when the consumer responds: after a
 * failover that takes long.
 */
const overdueMs = expiresMs + 1_000;
const everyMs = 1_000;
/** Nodes that create a consumer at the same time may get an error. */
const reopenMs = 200;
const maxBatch = 64;
/** Least time between two checks of the consumer, unless the connection was lost in between. */
const checkMs = 10_000;

/** The client has this option but not its type; without it, a consumer with other settings is an error. */
const createOrUpdate: object = { action: "" };

export interface PullParts {
  readonly stream: string;
  readonly consumer: Partial<ConsumerConfig> & { readonly durable_name: string; readonly filter_subject: string };
  /** How many messages can be received now. */
  room(): number;
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

  /** Call when there may be more room. */
  refresh(): void {
    if (this.#isPlanned || this.#isStopped) return;
    this.#isPlanned = true;
    // Messages that are settled together are replaced by one request.
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
      await persist(storeLink(link), () => link.jsm.consumers.add(stream, consumer, createOrUpdate));
      this.#consumer = await persist(storeLink(link), () => link.js.consumers.get(stream, consumer.durable_name));
      this.#request();
    } catch {
      // Tried again below: the link reports lost connections.
    }
    this.#later();
  }

  #later(): void {
    if (this.#isStopped || this.#link.connection.isClosed()) return;
    this.#cancel = systemClock.after(this.#consumer === undefined ? reopenMs : everyMs, () => {
      if (this.#consumer === undefined) return void this.#open();
      this.#request();
      this.#later();
    });
  }

  #request(): void {
    const count = Math.min(maxBatch, this.#parts.room() - this.#requested);
    if (count > 0 && !this.#isStopped && this.#link.isUp && this.#consumer !== undefined) void this.#fetch(this.#consumer, count);
  }

  async #fetch(consumer: Consumer, count: number): Promise<void> {
    this.#requested += count;
    let left = count;
    let messages: ConsumerMessages | undefined;
    let cancelOverdue = (): void => undefined;
    try {
      messages = await consumer.fetch({ max_messages: count, expires: expiresMs });
      this.#fetches.add(messages);
      const fetched = messages;
      cancelOverdue = systemClock.after(overdueMs, () => void fetched.close());
      for await (const message of messages) {
        left--;
        this.#requested--;
        this.#parts.received(message);
      }
      this.refresh();
    } catch {
      // The consumer may be gone, for example after a restore of the store: the next round creates it again.
      this.#consumer = undefined;
    } finally {
      cancelOverdue();
      this.#requested -= left;
      if (messages !== undefined) this.#fetches.delete(messages);
    }
    if (left === count) await this.#check();
  }

  /** A request without messages: either there are none, or the consumer is blocked. Every node checks after a lost connection, which may mean that the server crashed. */
  async #check(): Promise<void> {
    const { reconnects, isUp } = this.#link;
    const isDue = this.#parts.isChecker() && systemClock.monotonic() - this.#checkedAt > checkMs;
    if (this.#isStopped || !isUp || (!isDue && reconnects === this.#checkedReconnects)) return;
    this.#checkedAt = systemClock.monotonic();
    this.#checkedReconnects = reconnects;
    // An error is not handled: a later request checks again.
    if ((await this.#lostAcks.repair().catch(() => 0)) > 0) this.#checkedReconnects = -1;
  }
}
