import type { Clock, Exchange, Lifecycle } from "@sluice/engine/spi";
import { compareValues } from "@sluice/engine/values";

export interface BatchOptions {
  readonly batchSize: number;
  readonly batchTimeout: number;
  readonly allowDuplicates: boolean;
  readonly reverse: boolean;
}

interface Entry {
  readonly key: unknown;
  readonly exchange: Exchange;
}

/** Collects messages until the batch is full or times out, then delivers them sorted. */
export class BatchResequencer implements Lifecycle {
  readonly #options: BatchOptions;
  readonly #clock: Clock;
  readonly #deliver: (exchange: Exchange) => void;
  #batch: Entry[] = [];
  #cancelTimer: (() => void) | undefined = undefined;

  constructor(options: BatchOptions, clock: Clock, deliver: (exchange: Exchange) => void) {
    this.#options = options;
    this.#clock = clock;
    this.#deliver = deliver;
  }

  accepts(key: unknown): boolean {
    return key !== null && key !== undefined;
  }

  add(key: unknown, exchange: Exchange): void {
    this.#batch.push({ key, exchange });
    if (this.#batch.length >= this.#options.batchSize) this.#flush();
    else this.#cancelTimer ??= this.#clock.after(this.#options.batchTimeout, () => this.#flush());
  }

  /** Delivers the waiting messages, so that none of them is lost. */
  stop(): void {
    this.#flush();
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const direction = this.#options.reverse ? -1 : 1;
    const sorted = this.#batch.toSorted((left, right) => direction * (compareValues(left.key, right.key) ?? 0));
    this.#batch = [];
    sorted.forEach(({ key, exchange }, index) => {
      const previous = sorted[index - 1];
      if (this.#options.allowDuplicates || previous === undefined || compareValues(previous.key, key) !== 0) this.#deliver(exchange);
    });
  }
}
