// Consumes a queue with a bounded number of workers that wait for messages.
import { settlementOf, type Delivery, type Exchange, type RouteInput } from "@sluice/engine/spi";
import type { Entry, SedaQueue } from "./seda-queue.ts";

/** How long, and for how many messages, a worker may block the event loop before it yields. */
const sliceMs = 10;
const sliceMessages = 1000;
/** Retry delay when the route is at its in-flight limit. */
const fullRouteMs = 100;

export interface SedaConsumerOptions {
  readonly workers: number;
  readonly size: number | undefined;
  readonly multiple: boolean;
  readonly purge: boolean;
}

export class SedaConsumer {
  readonly #queue: SedaQueue;
  readonly #routeInput: RouteInput;
  readonly #options: SedaConsumerOptions;
  #busy = 0;
  #abandoned = false;
  #drained: (() => void) | undefined = undefined;

  constructor(queue: SedaQueue, routeInput: RouteInput, options: SedaConsumerOptions) {
    this.#queue = queue;
    this.#routeInput = routeInput;
    this.#options = options;
  }

  get size(): number | undefined {
    return this.#options.size;
  }

  get routeKey(): string {
    return `${this.#routeInput.route.flowId}/${this.#routeInput.route.id}`;
  }

  /** Starts another worker if one is free and a message is waiting. */
  wake(): void {
    if (this.#busy >= this.#options.workers || this.#queue.depth <= 0) return;
    this.#busy++;
    void this.#work();
  }

  /** Called when another version has taken over; that version processes the remaining messages. */
  superseded(): void {
    this.#drained?.();
  }

  /** Resolves when all messages of this consumer are processed. */
  async stop(): Promise<void> {
    if (this.#queue.isLast(this)) {
      if (this.#options.purge) this.#queue.purge();
      if (this.#queue.depth > 0) await this.#untilDrained();
    }
    this.#queue.leave(this);
  }

  /** Stops immediately: delivers no more messages, and discards those that only this consumer would have processed. */
  abandon(): number {
    this.#abandoned = true;
    const remaining = this.#queue.isLast(this) ? this.#queue.depth : 0;
    if (remaining > 0) this.#queue.purge();
    this.#queue.leave(this);
    this.#drained?.();
    return remaining;
  }

  #untilDrained(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.wake();
    });
  }

  async #work(): Promise<void> {
    const { clock } = this.#queue;
    await clock.yieldToEventLoop();
    let sliceStart = clock.monotonic();
    let sliceCount = 0;
    for (let entry = this.#queue.takeFor(this); entry !== undefined; entry = this.#queue.takeFor(this)) {
      // More messages than this worker can take: wake another one.
      if (this.#busy < this.#options.workers) this.wake();
      if (this.#queue.depth === 0) this.#drained?.();
      const running = this.#options.multiple ? this.#deliverToAll(entry) : this.#routeInput.deliver(entry.message, entry.delivery);
      const result = running instanceof Promise ? await running : running;
      if (entry.reply !== undefined) entry.reply(result);
      else if (result !== undefined && isRefused(result)) await this.#deliverLater(entry);
      if (++sliceCount >= sliceMessages || clock.monotonic() - sliceStart > sliceMs) {
        await clock.yieldToEventLoop();
        sliceStart = clock.monotonic();
        sliceCount = 0;
      }
    }
    this.#busy--;
    if (this.#queue.depth === 0) this.#drained?.();
    else if (this.#queue.isNewest(this) && !this.#abandoned) this.wake();
  }

  /** The sender does not wait and cannot retry, so the message stays here until the route accepts it. */
  async #deliverLater(entry: Entry): Promise<void> {
    const { clock } = this.#queue;
    for (let refused = true; refused && !this.#abandoned;) {
      await new Promise<void>((resolve) => clock.after(fullRouteMs, resolve));
      refused = isRefused(await this.#routeInput.deliver(entry.message, entry.delivery));
    }
  }

  async #deliverToAll(entry: Entry): Promise<Exchange | undefined> {
    const copies = this.#queue.subscribers().map(async (consumer) => consumer.#routeInput.deliver(entry.message.copy(), copyDelivery(entry.delivery)));
    return (await Promise.all(copies)).at(-1);
  }
}

function isRefused(exchange: Exchange): boolean {
  const settlement = settlementOf(exchange);
  return settlement.kind === "released" && settlement.reason === "refused";
}

function copyDelivery(delivery: Delivery): Delivery {
  return { ...delivery, properties: delivery.properties && new Map(delivery.properties), variables: delivery.variables && new Map(delivery.variables) };
}
