// Delivers messages from a system that expects acknowledgements, and settles them: acknowledged, redelivered or dead-lettered.
// It is independent of the protocol. The window limits the messages in flight; when it is full, the protocol is paused.
import {
  FlowError,
  settlementOf,
  toFlowError,
  type Awaitable,
  type Clock,
  type Delivery,
  type Exchange,
  type RouteInput,
  type Message,
  type Settlement,
} from "@sluice/engine/spi";
import type { DeadLetters } from "../sluice/sluice.ts";
import { AttemptCounts } from "./attempt-counts.ts";

/** The outcome of a message. `attempts` includes this one unless the message was not accepted. */
export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "redeliver"; readonly waitMs: number; readonly attempts: number; readonly counted: boolean }
  | { readonly kind: "dead-letter"; readonly attempts: number; readonly failure: FlowError; readonly exchange: Exchange | undefined };

/** Implemented by each protocol. */
export interface ReceiverProtocol<T> {
  /** The message of an item; one that cannot be parsed is dead-lettered. */
  messageOf(item: T): Message;
  deliveryOf?(item: T): Delivery;
  /** Identifies redeliveries of the same message; undefined when the system has no id. */
  idOf(item: T): string | undefined;
  /** Number of failed attempts, if the system counts them. */
  attemptsOf?(item: T): number;
  /** True when the system keeps this item instead of the dead-letter store: `settle` returns it or sends it to the system's own dead letters. */
  isRejected?(item: T): boolean;
  /** Acknowledges, returns or removes the item. A rejection is logged: the system will deliver the item again. */
  settle(item: T, outcome: Outcome): Awaitable;
  /** The window is full: deliver nothing until `resume`. */
  pause?(): void;
  resume?(): void;
}

export interface ReceiverOptions {
  /** Maximum messages in flight. */
  readonly window: number;
  /** Redeliveries after the first attempt; negative for no limit. */
  readonly maximumRedeliveries: number;
  readonly redeliveryDelay: number;
  readonly backOffMultiplier: number;
  readonly maximumRedeliveryDelay: number;
  /** A run that takes longer counts as a failed attempt; 0 or less for no limit. A late success still counts. */
  readonly leaseMs: number;
  /** True if the system cannot deliver a message again. A message whose run is abandoned when the route stops is then dead-lettered. */
  readonly cannotRedeliver?: boolean;
}

/** For systems that deliver a message once: if its run fails, it becomes a dead letter. */
export const singleAttempt: ReceiverOptions = {
  window: 1,
  maximumRedeliveries: 0,
  redeliveryDelay: 0,
  backOffMultiplier: 1,
  maximumRedeliveryDelay: 60_000,
  leaseMs: 0,
};

export interface ReceiverParts {
  readonly clock: Clock;
  /** Called when an item cannot be settled or its dead letter cannot be written. */
  failed(problem: string): void;
  /** Stores a dead letter before the item is acknowledged; absent when the protocol has its own dead letters. */
  readonly deadLetters?: DeadLetters;
  /** Called when a run that exceeded its lease succeeds after all. */
  doneLate?(item: unknown): void;
}

/** Retry delay when the route is at its in-flight limit. */
const fullRouteMs = 100;
const done: Outcome = { kind: "done" };
const events = { done: "done", redeliver: "redelivered", "dead-letter": "dead-lettered" } as const;

export class MessageReceiver<T> {
  readonly #routeInput: RouteInput;
  readonly #protocol: ReceiverProtocol<T>;
  readonly #options: ReceiverOptions;
  readonly #parts: ReceiverParts;
  readonly #attempts = new AttemptCounts();
  #inflight = 0;
  #isPaused = false;
  #isAbandoned = false;
  #drained: (() => void)[] = [];

  constructor(routeInput: RouteInput, protocol: ReceiverProtocol<T>, options: ReceiverOptions, parts: ReceiverParts) {
    this.#routeInput = routeInput;
    this.#protocol = protocol;
    this.#options = options;
    this.#parts = parts;
  }

  get inflight(): number {
    return this.#inflight;
  }

  get hasRoom(): boolean {
    return this.#inflight < this.#options.window;
  }

  /** Processes one item; resolves when it is settled. Never throws or rejects. */
  take(item: T): Awaitable {
    this.#inflight++;
    this.#routeInput.count?.("received");
    if (!this.hasRoom && !this.#isPaused && this.#protocol.pause !== undefined) {
      this.#isPaused = true;
      this.#protocol.pause();
    }
    const pending = this.#deliver(item);
    if (pending === undefined) return this.#release();
    return pending.then(() => this.#release());
  }

  /** True when a message that failed this many times is not delivered again. */
  isExhausted(attempts: number): boolean {
    const { maximumRedeliveries } = this.#options;
    return maximumRedeliveries >= 0 && attempts > maximumRedeliveries;
  }

  /** Resolves when every accepted item is settled. */
  stop(): Promise<void> {
    return this.#inflight === 0 ? Promise.resolve() : new Promise((resolve) => void this.#drained.push(resolve));
  }

  /** No longer resumes the protocol; returns the number of unsettled items. They are returned to their system when their runs end. */
  abandon(): number {
    this.#isAbandoned = true;
    return this.#inflight;
  }

  #deliver(item: T): Awaitable {
    let run: Awaitable<Exchange>;
    try {
      run = this.#routeInput.deliver(this.#protocol.messageOf(item), this.#protocol.deliveryOf?.(item));
    } catch (error) {
      return this.#complete(item, { kind: "dead-letter", attempts: this.#attemptsBefore(item) + 1, failure: toFlowError(error), exchange: undefined });
    }
    if (!(run instanceof Promise)) return this.#complete(item, this.#outcomeOf(item, run));
    return this.#options.leaseMs > 0 ? this.#deliverWithLease(item, run) : run.then((exchange) => this.#complete(item, this.#outcomeOf(item, exchange)));
  }

  #deliverWithLease(item: T, run: Promise<Exchange>): Promise<void> {
    return new Promise((resolve) => {
      let isExpired = false;
      const { leaseMs } = this.#options;
      const cancel = this.#parts.clock.after(leaseMs, () => {
        isExpired = true;
        const timeout = new FlowError("java.util.concurrent.TimeoutException", `the message was not processed within ${leaseMs} ms`, {
          code: "queue-lease-over",
        });
        resolve(this.#complete(item, this.#failed(item, timeout, undefined)));
      });
      void run.then((exchange) => {
        cancel();
        if (!isExpired) resolve(this.#complete(item, this.#outcomeOf(item, exchange)));
        else if (settlementOf(exchange).kind === "done") this.#parts.doneLate?.(item);
      });
    });
  }

  #outcomeOf(item: T, exchange: Exchange): Outcome {
    const settlement: Settlement = settlementOf(exchange);
    if (settlement.kind === "done") {
      if (!this.#attempts.isEmpty) this.#attempts.forget(this.#protocol.idOf(item));
      return done;
    }
    if (settlement.kind !== "released") return this.#failed(item, settlement.failure, exchange);
    if (settlement.reason === "drained" && this.#options.cannotRedeliver === true)
      return { kind: "dead-letter", attempts: this.#attemptsBefore(item) + 1, failure: settlement.failure, exchange };
    return {
      kind: "redeliver",
      waitMs: settlement.reason === "refused" ? fullRouteMs : 0,
      attempts: this.#attemptsBefore(item),
      counted: false,
    };
  }

  #failed(item: T, failure: FlowError, exchange: Exchange | undefined): Outcome {
    const id = this.#protocol.idOf(item);
    const attempts = this.#protocol.attemptsOf === undefined ? this.#attempts.add(id) : this.#protocol.attemptsOf(item) + 1;
    if (this.isExhausted(attempts)) {
      this.#attempts.forget(id);
      return { kind: "dead-letter", attempts, failure, exchange };
    }
    const { redeliveryDelay, backOffMultiplier, maximumRedeliveryDelay } = this.#options;
    const waitMs = Math.min(redeliveryDelay * backOffMultiplier ** (attempts - 1), maximumRedeliveryDelay);
    return { kind: "redeliver", waitMs, attempts, counted: true };
  }

  #attemptsBefore(item: T): number {
    return this.#protocol.attemptsOf?.(item) ?? this.#attempts.of(this.#protocol.idOf(item));
  }

  /** A dead letter is on disk before its item is acknowledged; when it cannot be written, the item stays in its system. */
  #complete(item: T, outcome: Outcome): Awaitable {
    const { deadLetters } = this.#parts;
    if (outcome.kind !== "dead-letter" || outcome.exchange === undefined || deadLetters === undefined || this.#protocol.isRejected?.(item) === true)
      return this.#settle(item, outcome);
    // The route may have changed the exchange's message; the dead letter must contain the original one.
    return deadLetters.store(outcome.exchange, { message: this.#protocol.messageOf(item), attempts: outcome.attempts }).then(
      () => this.#settle(item, outcome),
      (error: unknown) => {
        this.#parts.failed(`a dead letter could not be written: ${toFlowError(error).message}`);
        return this.#settle(item, { kind: "redeliver", waitMs: this.#options.maximumRedeliveryDelay, attempts: outcome.attempts, counted: false });
      },
    );
  }

  #settle(item: T, outcome: Outcome): Awaitable {
    this.#routeInput.count?.(events[outcome.kind]);
    try {
      const pending = this.#protocol.settle(item, outcome);
      return pending instanceof Promise ? pending.catch((error: unknown) => this.#reportUnsettled(outcome, error)) : undefined;
    } catch (error) {
      return this.#reportUnsettled(outcome, error);
    }
  }

  #reportUnsettled({ kind }: Outcome, error: unknown): void {
    this.#parts.failed(`a message could not be settled (${kind}): ${toFlowError(error).message}`);
  }

  #release(): void {
    this.#inflight--;
    if (this.#isPaused && this.hasRoom && !this.#isAbandoned) {
      this.#isPaused = false;
      this.#protocol.resume?.();
    }
    if (this.#inflight > 0 || this.#drained.length === 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
