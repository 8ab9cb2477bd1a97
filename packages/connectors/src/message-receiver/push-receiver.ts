// Messages from systems that push without flow control: they wait in a bounded queue. When it is full, messages are dropped, counted
// and logged.
import type { Clock, Delivery, RouteInput, Log, Message } from "@sluice/engine/spi";
import { CancellableDelays } from "../messaging/incoming.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import { MessageReceiver, singleAttempt } from "./message-receiver.ts";

export interface PushedItem {
  /** Creates the message as received. A route may change its message, so retries and dead letters need a new one. */
  message(): Message;
  readonly delivery: Delivery;
  /** Estimated size. */
  readonly bytes: number;
}

export interface PushedParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly logger: string;
  readonly uri: string;
  readonly deadLetters?: DeadLetters | undefined;
}

const maxItems = 10_000;
const maxBytes = 16 * 1024 * 1024;
const warnEvery = 1000;

/** A message that is being delivered to the route. */
interface Attempt {
  readonly item: PushedItem;
  /** Set when it was neither processed nor stored as a dead letter: it is retried after this delay. */
  retryAfterMs: number | undefined;
}

export class PushReceiver {
  readonly #messageReceiver: MessageReceiver<Attempt>;
  readonly #parts: PushedParts;
  readonly #waits: CancellableDelays;
  readonly #waiting: PushedItem[] = [];
  #bytes = 0;
  #dropped = 0;
  #working: Promise<void> | undefined = undefined;
  #isStopped = false;

  constructor(routeInput: RouteInput, parts: PushedParts) {
    this.#parts = parts;
    this.#waits = new CancellableDelays(parts.clock);
    const { clock, log, logger, uri, deadLetters } = parts;
    this.#messageReceiver = new MessageReceiver<Attempt>(
      routeInput,
      {
        messageOf: ({ item }) => item.message(),
        deliveryOf: ({ item }) => item.delivery,
        idOf: () => undefined,
        settle: (attempt, outcome) => void (attempt.retryAfterMs = outcome.kind === "redeliver" ? outcome.waitMs : undefined),
      },
      { ...singleAttempt, cannotRedeliver: true },
      { clock, failed: (problem) => log.write("WARN", logger, `${uri}: ${problem}`), ...(deadLetters === undefined ? {} : { deadLetters }) },
    );
  }

  get dropped(): number {
    return this.#dropped;
  }

  push(item: PushedItem): void {
    if (this.#isStopped) return;
    if (this.#waiting.length >= maxItems || this.#bytes + item.bytes > maxBytes) {
      const { log, logger, uri } = this.#parts;
      if (this.#dropped++ % warnEvery === 0) log.write("WARN", logger, `${uri}: the route is too slow; messages dropped so far: ${this.#dropped}`);
      return;
    }
    this.#waiting.push(item);
    this.#bytes += item.bytes;
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  /** Accepts no more messages; waiting ones are still delivered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waits.end();
    await this.#working;
    await this.#messageReceiver.stop();
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#bytes -= next.bytes;
      await this.#process(next);
    }
  }

  /**
   * The system has no copy of the message, so the message is retained while the route accepts no more runs or its dead letter cannot
   * be written.
   */
  async #process(item: PushedItem): Promise<void> {
    const attempt: Attempt = { item, retryAfterMs: undefined };
    for (;;) {
      const isLast = this.#waits.isOver;
      await this.#messageReceiver.take(attempt);
      if (attempt.retryAfterMs === undefined) return;
      if (isLast) break;
      await this.#waits.wait(attempt.retryAfterMs);
    }
    const { log, logger, uri } = this.#parts;
    log.write("ERROR", logger, `${uri}: a message was lost because it could neither be processed nor stored as a dead letter`);
  }
}
