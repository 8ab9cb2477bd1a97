// Consumes a queue with a bounded number of workers and settles each message when its run ends. A message stays on disk
// until its route succeeds, it becomes a dead letter, or its test session is closed.
import { FlowError, toFlowError, type Awaitable, type Exchange, type RouteInput, type Log } from "@sluice/engine/spi";
import { MessageReceiver, type Outcome } from "../message-receiver/message-receiver.ts";
import type { Queue, QueueSubscriber, ClaimedMessage } from "./durable-queues.ts";
import { restoreMessage, type RestoredMessage } from "./stored-message.ts";

const sliceMs = 10;
const sliceMessages = 1_000;

export interface RedeliveryOptions {
  readonly maximumRedeliveries: number;
  readonly redeliveryDelay: number;
  readonly backOffMultiplier: number;
  readonly maximumRedeliveryDelay: number;
  readonly visibilityTimeout: number;
}

export interface ConsumerOptions extends RedeliveryOptions {
  readonly concurrentConsumers: number;
  /** Trigger URI for messages without one. */
  readonly uri: string;
  isOpenSession(id: string): boolean;
}

/** A message in delivery; it is restored from disk once per delivery. */
interface Delivered {
  readonly entry: ClaimedMessage;
  readonly restored: RestoredMessage;
}

export class QueueConsumer implements QueueSubscriber {
  readonly #queue: Queue;
  readonly #routeInput: RouteInput;
  readonly #options: ConsumerOptions;
  readonly #log: Log;
  readonly #messageReceiver: MessageReceiver<Delivered>;
  #busy = 0;

  constructor(queue: Queue, routeInput: RouteInput, options: ConsumerOptions, log: Log) {
    this.#queue = queue;
    this.#routeInput = routeInput;
    this.#options = options;
    this.#log = log;
    this.#messageReceiver = new MessageReceiver<Delivered>(
      routeInput,
      {
        messageOf: ({ restored }) => restored.message,
        deliveryOf: ({ restored }) => ({ pattern: "InOnly", trigger: { uri: options.uri }, ...restored.delivery }),
        idOf: ({ entry }) => entry.id,
        attemptsOf: ({ entry }) => entry.attempts,
        settle: ({ entry }, outcome) => this.#settle(entry, outcome),
      },
      { ...options, window: options.concurrentConsumers, leaseMs: options.visibilityTimeout },
      {
        clock: queue.clock,
        failed: (problem) => log.write("ERROR", "sluice.queue", `Queue '${queue.name}': ${problem}`),
        doneLate: (item) => queue.doneLate((item as Delivered).entry),
      },
    );
  }

  get concurrency(): number {
    return this.#options.concurrentConsumers;
  }

  wake(): void {
    if (this.#busy >= this.#options.concurrentConsumers) return;
    this.#busy++;
    void this.#work();
  }

  async #work(): Promise<void> {
    const { clock } = this.#queue;
    await clock.yieldToEventLoop();
    let sliceStart = clock.monotonic();
    let sliceCount = 0;
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      if (this.#busy < this.#options.concurrentConsumers && this.#queue.hasReady) this.wake();
      const running = this.#queue.isSuspect(entry) ? this.#deliverSuspect(entry) : this.#deliver(entry);
      if (running !== undefined) await running;
      if (++sliceCount >= sliceMessages || clock.monotonic() - sliceStart > sliceMs) {
        await clock.yieldToEventLoop();
        sliceStart = clock.monotonic();
        sliceCount = 0;
      }
    }
    this.#busy--;
  }

  #next(): ClaimedMessage | undefined {
    return this.#queue.isActive(this) ? this.#queue.take() : undefined;
  }

  /** The message may have crashed the process last time: record the attempt on disk before it starts, so that it counts. */
  async #deliverSuspect(entry: ClaimedMessage): Promise<void> {
    if (entry.attempts > 0 && this.#messageReceiver.isExhausted(entry.attempts)) return this.#deadLetter(entry, entry.attempts, undefined, processCrashError());
    if (!(await this.#queue.begin(entry))) return undefined;
    return this.#deliver(entry);
  }

  #deliver(entry: ClaimedMessage): Awaitable {
    let restored: RestoredMessage;
    try {
      restored = restoreMessage(entry.message);
    } catch (error) {
      return this.#deadLetter(entry, entry.attempts + 1, undefined, toFlowError(error));
    }
    const { message, session } = restored;
    if (session !== undefined && !this.#options.isOpenSession(session.id)) {
      this.#log.write("WARN", "sluice.queue", `Queue '${this.#queue.name}' dropped message ${entry.id} of closed test session '${session.id}'`);
      return this.#queue.done(entry);
    }
    message.headers.set("SluiceQueueMessageId", entry.id);
    message.headers.set("SluiceQueueAttempt", entry.attempts + 1);
    return this.#messageReceiver.take({ entry, restored });
  }

  #settle(entry: ClaimedMessage, outcome: Outcome): void {
    if (outcome.kind === "done") this.#queue.done(entry);
    else if (outcome.kind === "dead-letter") this.#deadLetter(entry, outcome.attempts, outcome.exchange, outcome.failure);
    else if (outcome.counted) this.#queue.retry(entry, outcome.attempts, outcome.waitMs);
    else this.#queue.requeue(entry, outcome.waitMs);
  }

  #deadLetter(entry: ClaimedMessage, attempts: number, exchange: Exchange | undefined, { type, message, stepId, routeId }: FlowError): void {
    const { route } = this.#routeInput;
    this.#log.write("WARN", "sluice.queue", `Queue '${this.#queue.name}' moved message ${entry.id} to the dead letters (attempts: ${attempts})`, exchange);
    this.#queue.deadLetter(entry, { route, runId: exchange?.run.id, attempts, failure: { type, message, stepId, routeId } });
  }
}

function processCrashError(): FlowError {
  return new FlowError("java.lang.IllegalStateException", "the process crashed while it processed this message, and no attempts are left", {
    code: "process-ended",
  });
}
