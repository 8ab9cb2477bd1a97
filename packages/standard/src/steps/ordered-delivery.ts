import type { Exchange, Processor, Tasks } from "@sluice/engine/spi";
import { settle } from "./settle.ts";

/** Runs exchanges on their own, but one after the other, in the order they were given. */
export class OrderedDelivery {
  readonly #tasks: Tasks;
  readonly #run: Processor;
  readonly #line: Exchange[] = [];
  #busy = false;

  constructor(tasks: Tasks, run: Processor) {
    this.#tasks = tasks;
    this.#run = run;
  }

  push(exchange: Exchange): void {
    this.#line.push(exchange);
    if (!this.#busy) this.#next();
  }

  #next(): void {
    const exchange = this.#line.shift();
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
