// The consuming side of a queue: a bounded number of workers that sleep until a message comes.
import type { Delivery, Exchange, Inlet } from "@sluice/engine/spi";
import type { Entry, SedaQueue } from "./seda-queue.ts";

/** How long, and for how many messages, a worker may hold the event loop before others get their turn. */
const sliceMs = 10;
const sliceMessages = 1000;

export interface SedaConsumerOptions {
  readonly workers: number;
  readonly size: number | undefined;
  readonly multiple: boolean;
  readonly purge: boolean;
}

export class SedaConsumer {
  readonly #queue: SedaQueue;
  readonly #inlet: Inlet;
  readonly #options: SedaConsumerOptions;
  #busy = 0;
  #abandoned = false;
  #drained: (() => void) | undefined = undefined;

  constructor(queue: SedaQueue, inlet: Inlet, options: SedaConsumerOptions) {
    this.#queue = queue;
    this.#inlet = inlet;
    this.#options = options;
  }

  get size(): number | undefined {
    return this.#options.size;
  }

  get routeKey(): string {
    return `${this.#inlet.route.flowId}/${this.#inlet.route.id}`;
  }

  /** Puts one more worker to work if there is one free and something to do. */
  wake(): void {
    if (this.#busy >= this.#options.workers || this.#queue.depth <= 0) return;
    this.#busy++;
    void this.#work();
  }

  /** Another version took over: what is left in the queue is its business. */
  superseded(): void {
    this.#drained?.();
  }

  /** Resolves when nothing waits that this consumer would have to work off. */
  async stop(): Promise<void> {
    if (this.#queue.isLast(this)) {
      if (this.#options.purge) this.#queue.purge();
      if (this.#queue.depth > 0) await this.#workedOff();
    }
    this.#queue.leave(this);
  }

  /** Gives up at once: nothing more is handed over, and what only this consumer would have taken is thrown away. */
  abandon(): number {
    this.#abandoned = true;
    const left = this.#queue.isLast(this) ? this.#queue.depth : 0;
    if (left > 0) this.#queue.purge();
    this.#queue.leave(this);
    this.#drained?.();
    return left;
  }

  #workedOff(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.wake();
    });
  }

  async #work(): Promise<void> {
    const { clock } = this.#queue;
    await clock.breathe();
    let began = clock.monotonic();
    let worked = 0;
    for (let entry = this.#queue.takeFor(this); entry !== undefined; entry = this.#queue.takeFor(this)) {
      // More waits than this worker can take at once: let a sleeping one help.
      if (this.#busy < this.#options.workers) this.wake();
      if (this.#queue.depth === 0) this.#drained?.();
      const running = this.#options.multiple ? this.#deliverToAll(entry) : this.#inlet.deliver(entry.message, entry.delivery);
      const done = running instanceof Promise ? await running : running;
      entry.reply?.(done);
      if (++worked >= sliceMessages || clock.monotonic() - began > sliceMs) {
        await clock.breathe();
        began = clock.monotonic();
        worked = 0;
      }
    }
    this.#busy--;
    if (this.#queue.depth === 0) this.#drained?.();
    else if (this.#queue.isNewest(this) && !this.#abandoned) this.wake();
  }

  async #deliverToAll(entry: Entry): Promise<Exchange | undefined> {
    const copies = this.#queue.subscribers().map((consumer) => consumer.#inlet.deliver(entry.message.copy(), ownDelivery(entry.delivery)));
    return (await Promise.all(copies)).at(-1);
  }
}

function ownDelivery(delivery: Delivery): Delivery {
  return { ...delivery, properties: delivery.properties && new Map(delivery.properties), variables: delivery.variables && new Map(delivery.variables) };
}
