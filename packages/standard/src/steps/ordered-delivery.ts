import type { Exchange, Processor, Tasks } from "@sluice/engine/spi";
import { settle } from "./settle.ts";

/** Runs detached exchanges one at a time, in the order they were added. */
export class OrderedDelivery {
  readonly #tasks: Tasks;
  readonly #run: Processor;
  readonly #queue: Exchange[] = [];
  #busy = false;

  constructor(tasks: Tasks, run: Processor) {
    this.#tasks = tasks;
    this.#run = run;
  }

  push(exchange: Exchange): void {
    this.#queue.push(exchange);
    if (!this.#busy) this.#next();
  }

  #next(): void {
    const exchange = this.#queue.shift();
    this.#busy = exchange !== undefined;
    if (exchange === undefined) return;
    this.#tasks.detach(exchange, (copy) =>
      settle(
        () => this.#run(copy),
        () => this.#next(),
        (error) => {
          this.#next();
          throw error;
        },
      ),
    );
  }
}
