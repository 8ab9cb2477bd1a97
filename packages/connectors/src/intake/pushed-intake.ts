// Messages from systems that push without flow control: they wait in a bounded queue. When it is full, messages are dropped, counted
// and logged.
import type { Clock, Delivery, Exchange, Inlet, Log, Message } from "@sluice/engine/spi";
import { Intake } from "./intake.ts";

export interface PushedItem {
  readonly message: Message;
  readonly delivery: Delivery;
  /** Estimated. */
  readonly bytes: number;
}

export interface PushedParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly logger: string;
  readonly uri: string;
  readonly deadLetters?: { keep(exchange: Exchange): Promise<void> } | undefined;
}

const mostItems = 10_000;
const mostBytes = 16 * 1024 * 1024;
const warnEvery = 1000;

export class PushedIntake {
  readonly #intake: Intake<PushedItem>;
  readonly #parts: PushedParts;
  readonly #waiting: PushedItem[] = [];
  #bytes = 0;
  #dropped = 0;
  #working: Promise<void> | undefined = undefined;
  #isStopped = false;

  constructor(inlet: Inlet, parts: PushedParts) {
    this.#parts = parts;
    const { clock, log, logger, uri, deadLetters } = parts;
    // The system does not redeliver, so a failed message becomes a dead letter.
    const options = { window: 1, maximumRedeliveries: 0, redeliveryDelay: 0, backOffMultiplier: 1, maximumRedeliveryDelay: 0, leaseMs: 0 };
    this.#intake = new Intake<PushedItem>(
      inlet,
      { messageOf: ({ message }) => message, deliveryOf: ({ delivery }) => delivery, idOf: () => undefined, settle: () => undefined },
      options,
      { clock, failed: (problem) => log.write("WARN", logger, `${uri}: ${problem}`), ...(deadLetters === undefined ? {} : { deadLetters }) },
    );
  }

  get dropped(): number {
    return this.#dropped;
  }

  push(item: PushedItem): void {
    if (this.#isStopped) return;
    if (this.#waiting.length >= mostItems || this.#bytes + item.bytes > mostBytes) {
      const { log, logger, uri } = this.#parts;
      if (this.#dropped++ % warnEvery === 0) log.write("WARN", logger, `${uri}: the route is too slow: ${this.#dropped} messages were dropped so far`);
      return;
    }
    this.#waiting.push(item);
    this.#bytes += item.bytes;
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  /** Accepts no more messages; waiting ones are still delivered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
    await this.#intake.stop();
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#bytes -= next.bytes;
      await this.#intake.take(next);
    }
  }
}
