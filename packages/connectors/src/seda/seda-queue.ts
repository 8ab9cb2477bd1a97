// One in-memory queue: waiting messages, blocked senders, pollers and consumers.
import { FlowError, type Clock, type Delivery, type Exchange, type Message } from "@sluice/engine/spi";
import type { SedaConsumer } from "./seda-consumer.ts";
import { FifoQueue } from "./fifo-queue.ts";

export interface Entry {
  readonly message: Message;
  readonly delivery: Delivery;
  /** Called with the outcome, or with undefined when a poller took the entry; absent when no sender waits. */
  readonly reply: ((done: Exchange | FlowError | undefined) => void) | undefined;
}

const defaultSize = 1000;

export class SedaQueue {
  readonly name: string;
  readonly clock: Clock;
  readonly #entries = new FifoQueue<Entry>();
  readonly #consumers: SedaConsumer[] = [];
  readonly #blockedSenders = new FifoQueue<() => void>();
  readonly #pollers = new FifoQueue<(entry: Entry) => void>();

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.clock = clock;
  }

  get depth(): number {
    return this.#entries.length;
  }

  get hasConsumers(): boolean {
    return this.#consumers.length > 0;
  }

  /** True when the queue holds no state and can be discarded. */
  get idle(): boolean {
    return this.#entries.length === 0 && this.#consumers.length === 0 && this.#blockedSenders.length === 0 && this.#pollers.length === 0;
  }

  isFull(size: number | undefined): boolean {
    return this.#entries.length >= (size ?? this.#consumers.at(-1)?.size ?? defaultSize);
  }

  put(entry: Entry): void {
    const poller = this.#pollers.shift();
    if (poller !== undefined) {
      poller(entry);
      return;
    }
    this.#entries.push(entry);
    this.#consumers.at(-1)?.wake();
  }

  /** The next entry for this consumer; only the newest consumer is served, so that a new version takes over immediately. */
  takeFor(consumer: SedaConsumer): Entry | undefined {
    return this.#consumers.at(-1) === consumer ? this.take() : undefined;
  }

  take(): Entry | undefined {
    const entry = this.#entries.shift();
    if (entry !== undefined) this.#blockedSenders.shift()?.();
    return entry;
  }

  /** Withdraws an entry that has not been started; false when it is too late. */
  withdraw(entry: Entry): boolean {
    const found = this.#entries.remove(entry);
    if (found) this.#blockedSenders.shift()?.();
    return found;
  }

  purge(): void {
    const purged = new FlowError("java.util.concurrent.RejectedExecutionException", `queue '${this.name}' was purged because its route stopped`, {
      code: "queue-purged",
      retryable: true,
    });
    for (let remaining = this.#entries.length; remaining > 0; remaining--) this.take()?.reply?.(purged);
  }

  /** Calls `wake` when an entry is removed; returns a function that cancels. */
  onSpace(wake: () => void): () => void {
    this.#blockedSenders.push(wake);
    return () => void this.#blockedSenders.remove(wake);
  }

  /** Passes the next entry to `receive`; returns a function that cancels. */
  onEntry(receive: (entry: Entry) => void): () => void {
    this.#pollers.push(receive);
    return () => void this.#pollers.remove(receive);
  }

  join(consumer: SedaConsumer): void {
    const previous = this.#consumers.at(-1);
    this.#consumers.push(consumer);
    previous?.superseded();
    consumer.wake();
  }

  leave(consumer: SedaConsumer): void {
    const at = this.#consumers.lastIndexOf(consumer);
    if (at >= 0) this.#consumers.splice(at, 1);
    this.#consumers.at(-1)?.wake();
  }

  isNewest(consumer: SedaConsumer): boolean {
    return this.#consumers.at(-1) === consumer;
  }

  /** True when no other consumer would process the queue after this one stops. */
  isLast(consumer: SedaConsumer): boolean {
    return this.#consumers.length === 1 && this.#consumers[0] === consumer;
  }

  /** With multiple consumers: the newest version of each route, which gets a copy. */
  subscribers(): SedaConsumer[] {
    const newest = new Map<string, SedaConsumer>();
    for (const consumer of this.#consumers) newest.set(consumer.routeKey, consumer);
    return [...newest.values()];
  }
}
