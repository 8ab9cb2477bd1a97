// The consuming side: a bounded number of workers that sleep until a message is due, and what happens to a message when
// its run is over. A message is taken off the disk only after its route succeeded.
import { ending, FlowError, toFlowError, type Awaitable, type Exchange, type Inlet, type Log } from "@sluice/engine/spi";
import { restoreMessage, type RestoredMessage, type StoredMessage } from "./stored-message.ts";
import type { Entry, Taker, WorkQueue } from "./work-queue.ts";

const sliceMs = 10;
const sliceMessages = 1_000;
/** How long a message waits when its route is full. */
const fullRouteMs = 100;

export interface RedeliveryOptions {
  readonly maximumRedeliveries: number;
  readonly redeliveryDelay: number;
  readonly backOffMultiplier: number;
  readonly maximumRedeliveryDelay: number;
  readonly visibilityTimeout: number;
}

export interface ConsumerOptions extends RedeliveryOptions {
  readonly concurrentConsumers: number;
  /** The trigger's URI, for messages that bring none. */
  readonly uri: string;
  isOpenSession(id: string): boolean;
}

type Taken = Entry & { readonly message: StoredMessage };

export class QueueConsumer implements Taker {
  readonly #queue: WorkQueue;
  readonly #inlet: Inlet;
  readonly #options: ConsumerOptions;
  readonly #log: Log;
  #busy = 0;

  constructor(queue: WorkQueue, inlet: Inlet, options: ConsumerOptions, log: Log) {
    this.#queue = queue;
    this.#inlet = inlet;
    this.#options = options;
    this.#log = log;
  }

  wake(): void {
    if (this.#busy >= this.#options.concurrentConsumers) return;
    this.#busy++;
    void this.#work();
  }

  async #work(): Promise<void> {
    const { clock } = this.#queue;
    await clock.breathe();
    let began = clock.monotonic();
    let worked = 0;
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      if (this.#busy < this.#options.concurrentConsumers && this.#queue.hasReady) this.wake();
      const running = this.#queue.isSuspect(entry) ? this.#carefully(entry) : this.#deliver(entry);
      if (running !== undefined) await running;
      if (++worked >= sliceMessages || clock.monotonic() - began > sliceMs) {
        await clock.breathe();
        began = clock.monotonic();
        worked = 0;
      }
    }
    this.#busy--;
  }

  #next(): Taken | undefined {
    return this.#queue.isServed(this) ? this.#queue.take() : undefined;
  }

  /** The message may be what ended the process last time: the try is on disk before it begins, so that it is counted. */
  async #carefully(entry: Taken): Promise<void> {
    if (entry.attempts > 0 && this.#isSpent(entry.attempts)) return this.#bury(entry, entry.attempts, undefined, processEnded());
    try {
      await this.#queue.begin(entry);
    } catch (error) {
      this.#log.write("ERROR", "sluice.queue", `queue '${this.#queue.name}' could not note a try: ${toFlowError(error).message}`);
      return this.#queue.giveBack(entry, 1_000);
    }
    return this.#deliver(entry);
  }

  #deliver(entry: Taken): Awaitable {
    let restored: RestoredMessage;
    try {
      restored = restoreMessage(entry.message);
    } catch (error) {
      return this.#bury(entry, entry.attempts + 1, undefined, toFlowError(error));
    }
    const { message, delivery, session } = restored;
    if (session !== undefined && !this.#options.isOpenSession(session.id)) {
      this.#log.write("WARN", "sluice.queue", `queue '${this.#queue.name}' dropped message ${entry.id} of test session '${session.id}', which is over`);
      return this.#queue.done(entry);
    }
    message.headers.set("SluiceQueueMessageId", entry.id);
    message.headers.set("SluiceQueueAttempt", entry.attempts + 1);
    const outcome = this.#inlet.deliver(message, { pattern: "InOnly", trigger: { uri: this.#options.uri }, ...delivery });
    if (!(outcome instanceof Promise)) return this.#settle(entry, outcome);
    return this.#options.visibilityTimeout > 0 ? this.#within(entry, outcome) : outcome.then((exchange) => this.#settle(entry, exchange));
  }

  /** Gives up on a run that takes too long; when it ends well after all, that still counts. */
  #within(entry: Taken, outcome: Promise<Exchange>): Promise<void> {
    return new Promise((resolve) => {
      let late = false;
      const { visibilityTimeout } = this.#options;
      const cancel = this.#queue.clock.after(visibilityTimeout, () => {
        late = true;
        this.#failed(
          entry,
          undefined,
          new FlowError("java.util.concurrent.TimeoutException", `the message was not done within ${visibilityTimeout} ms`, { code: "queue-lease-over" }),
        );
        resolve();
      });
      void outcome.then((exchange) => {
        cancel();
        if (!late) this.#settle(entry, exchange);
        else if (failureOf(exchange) === undefined) this.#queue.doneLate(entry);
        resolve();
      });
    });
  }

  #settle(entry: Taken, exchange: Exchange): void {
    const failure = failureOf(exchange);
    if (failure === undefined) this.#queue.done(entry);
    else if (failure.code === "run-abandoned") this.#queue.giveBack(entry);
    else if (failure.code === "limit-inflight") this.#queue.giveBack(entry, fullRouteMs);
    else this.#failed(entry, exchange, failure);
  }

  #failed(entry: Taken, exchange: Exchange | undefined, failure: FlowError): void {
    const attempts = entry.attempts + 1;
    if (this.#isSpent(attempts)) return this.#bury(entry, attempts, exchange, failure);
    const { redeliveryDelay, backOffMultiplier, maximumRedeliveryDelay } = this.#options;
    this.#queue.retry(entry, attempts, Math.min(redeliveryDelay * backOffMultiplier ** (attempts - 1), maximumRedeliveryDelay));
  }

  #isSpent(attempts: number): boolean {
    const { maximumRedeliveries } = this.#options;
    return maximumRedeliveries >= 0 && attempts > maximumRedeliveries;
  }

  #bury(entry: Taken, attempts: number, exchange: Exchange | undefined, { type, message, stepId, routeId }: FlowError): void {
    const { route } = this.#inlet;
    this.#log.write(
      "WARN",
      "sluice.queue",
      `queue '${this.#queue.name}' gave up message ${entry.id} after ${attempts} tries; it is in the dead letters`,
      exchange,
    );
    this.#queue.bury(entry, { route, runId: exchange?.run.id, attempts, failure: { type, message, stepId, routeId } });
  }
}

function failureOf({ failure, ending: ended }: Exchange): FlowError | undefined {
  if (failure !== undefined || ended !== ending.rolledBack) return failure;
  return new FlowError("org.apache.camel.RollbackExchangeException", "the run was rolled back", { code: "run-rolled-back" });
}

function processEnded(): FlowError {
  return new FlowError("java.lang.IllegalStateException", "the process ended each time it worked on this message", { code: "process-ended" });
}
