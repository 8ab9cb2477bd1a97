import { FlowError, type Clock, type Exchange, type Lifecycle } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";

export interface StreamOptions {
  readonly capacity: number;
  readonly timeout: number;
  readonly rejectOld: boolean;
}

interface Entry {
  readonly number: number;
  readonly exchange: Exchange;
  /** Monotonic time at which it is delivered even without its predecessor. */
  readonly due: number;
}

/** Delivers numbered messages in order; waits for a missing number until the timeout. */
export class StreamResequencer implements Lifecycle {
  readonly #options: StreamOptions;
  readonly #clock: Clock;
  readonly #deliver: (exchange: Exchange) => void;
  readonly #waiting: Entry[] = [];
  #last: number | undefined = undefined;
  #cancelTimer: (() => void) | undefined = undefined;

  constructor(options: StreamOptions, clock: Clock, deliver: (exchange: Exchange) => void) {
    this.#options = options;
    this.#clock = clock;
    this.#deliver = deliver;
  }

  accepts(key: unknown): boolean {
    const text = asText(key).trim();
    return text !== "" && Number.isFinite(Number(text));
  }

  add(key: unknown, exchange: Exchange): void {
    const number = Number(asText(key).trim());
    if (this.#options.rejectOld && this.#last !== undefined && number <= this.#last)
      throw new FlowError(
        "org.apache.camel.CamelExchangeException",
        `message ${number} arrived after resequence had delivered ${this.#last}; increase timeout, or set rejectOld: false`,
        { code: "resequence-too-late" },
      );
    const entry: Entry = { number, exchange, due: this.#clock.monotonic() + this.#options.timeout };
    const at = this.#waiting.findLastIndex((other) => other.number <= number) + 1;
    this.#waiting.splice(at, 0, entry);
    this.#deliverDue();
  }

  /** Delivers the waiting messages, so that none of them is lost. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (const { exchange } of this.#waiting.splice(0)) this.#deliver(exchange);
  }

  #deliverDue(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const isNext = this.#last !== undefined && first.number <= this.#last + 1;
      const now = this.#clock.monotonic();
      if (!isNext && first.due > now && this.#waiting.length <= this.#options.capacity) {
        this.#cancelTimer = this.#clock.after(first.due - now, () => this.#deliverDue());
        return;
      }
      this.#waiting.shift();
      this.#last = Math.max(first.number, this.#last ?? -Infinity);
      this.#deliver(first.exchange);
    }
  }
}
