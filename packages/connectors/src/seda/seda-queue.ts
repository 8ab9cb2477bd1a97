// One queue: what waits, who waits for room, who polls, and the consumers that work it off.
import { FlowError, type Clock, type Delivery, type Exchange, type Message } from "@sluice/engine/spi";
import type { SedaConsumer } from "./seda-consumer.ts";
import { WaitingLine } from "./waiting-line.ts";

export interface Entry {
  readonly message: Message;
  readonly delivery: Delivery;
  /** Told how the work ended, or undefined when a poller took the entry; absent when nobody waits. */
  readonly reply: ((done: Exchange | FlowError | undefined) => void) | undefined;
}

const defaultSize = 1000;

export class SedaQueue {
  readonly name: string;
  readonly clock: Clock;
  readonly #entries = new WaitingLine<Entry>();
  readonly #consumers: SedaConsumer[] = [];
  readonly #forRoom = new WaitingLine<() => void>();
  readonly #pollers = new WaitingLine<(entry: Entry) => void>();

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.clock = clock;
  }

  get depth(): number {
    return this.#entries.length;
  }

  get consumed(): boolean {
    return this.#consumers.length > 0;
  }

  /** Nothing would be lost if the queue were forgotten. */
  get idle(): boolean {
    return this.#entries.length === 0 && this.#consumers.length === 0 && this.#forRoom.length === 0 && this.#pollers.length === 0;
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

  /** The next entry for this consumer; only the newest consumer is served, so a new version takes over at once. */
  takeFor(consumer: SedaConsumer): Entry | undefined {
    return this.#consumers.at(-1) === consumer ? this.take() : undefined;
  }

  take(): Entry | undefined {
    const entry = this.#entries.shift();
    if (entry !== undefined) this.#forRoom.shift()?.();
    return entry;
  }

  /** Takes back an entry nobody has begun; false when it is too late. */
  withdraw(entry: Entry): boolean {
    const found = this.#entries.remove(entry);
    if (found) this.#forRoom.shift()?.();
    return found;
  }

  purge(): void {
    const purged = new FlowError("java.util.concurrent.RejectedExecutionException", `the queue '${this.name}' was emptied because its route stops`, {
      code: "queue-purged",
      retryable: true,
    });
    for (let left = this.#entries.length; left > 0; left--) this.take()?.reply?.(purged);
  }

  /** Calls `wake` when an entry was taken out; the returned function gives up waiting. */
  onRoom(wake: () => void): () => void {
    this.#forRoom.push(wake);
    return () => void this.#forRoom.remove(wake);
  }

  /** Gives the next entry that arrives to `receive`; the returned function gives up waiting. */
  onEntry(receive: (entry: Entry) => void): () => void {
    this.#pollers.push(receive);
    return () => void this.#pollers.remove(receive);
  }

  join(consumer: SedaConsumer): void {
    const before = this.#consumers.at(-1);
    this.#consumers.push(consumer);
    before?.superseded();
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

  /** Nobody else would go on with the queue if this consumer left. */
  isLast(consumer: SedaConsumer): boolean {
    return this.#consumers.length === 1 && this.#consumers[0] === consumer;
  }

  /** Every route that gets a copy when several may consume: the newest version of each. */
  subscribers(): SedaConsumer[] {
    const newest = new Map<string, SedaConsumer>();
    for (const consumer of this.#consumers) newest.set(consumer.routeKey, consumer);
    return [...newest.values()];
  }
}
