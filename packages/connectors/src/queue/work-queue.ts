// A durable queue with consumers: tracks which messages are due, which keys are locked and which consumer is served. Messages
// are read from disk in pages; memory holds positions and, as far as the limit allows, messages that just arrived.
import { toFlowError, type Clock, type Log } from "@sluice/engine/spi";
import { FifoQueue } from "../seda/fifo-queue.ts";
import { KeyLocks } from "./key-locks.ts";
import type { DeadLetterDetails, DurableQueues, Position, Queue, QueuedMessage, QueueStore, QueueSubscriber } from "./durable-queues.ts";
import { storedSize, type StoredMessage } from "./stored-message.ts";

const pageSize = 256;
/** Positions read ahead, so that a key that is blocked for a long time does not block the others. */
const maxWindow = 10_000;
const maxParked = 100_000;
/** Memory for messages between arrival and delivery; others are read from disk again. */
const windowBytes = 8 * 1024 * 1024;

/** Delay before a change that the disk rejected is retried. */
const diskRetryMs = 100;

/** The change to a message's row after an attempt. */
interface Settlement {
  readonly action: string;
  write(): Promise<void>;
  /** Called when the change can never be written. */
  onPermanentFailure?(): void;
}

interface Entry extends QueuedMessage {
  /** Undefined when it must be read from disk. */
  readonly message: StoredMessage | undefined;
}

type LoadedEntry = Entry & { readonly message: StoredMessage };

export class WorkQueue implements Queue {
  readonly name: string;
  readonly clock: Clock;
  readonly #queues: DurableQueues;
  readonly #log: Log;
  readonly #subscribers: QueueSubscriber[] = [];
  readonly #ready = new FifoQueue<Entry>();
  readonly #keys = new KeyLocks<Entry>();
  /** Messages that are ready, parked or in flight: never read from disk a second time. */
  readonly #tracked = new Set<number>();
  #store: QueueStore | undefined = undefined;
  #cursor: Position | undefined = undefined;
  /** All messages due up to the cursor are known, and none are due after it. */
  #caughtUp = false;
  #nextDue: number | undefined = undefined;
  #cancelTimer: (() => void) | undefined = undefined;
  #bytes = 0;
  /** Changes that the disk rejected. */
  #unsettled: Settlement[] = [];
  /** Nothing is delivered while the disk rejects changes: after a crash, every message would be delivered again. */
  #isPaused = false;

  constructor(name: string, queues: DurableQueues, clock: Clock, log: Log) {
    this.name = name;
    this.clock = clock;
    this.#queues = queues;
    this.#log = log;
  }

  get idle(): boolean {
    return this.#subscribers.length === 0 && this.#tracked.size === 0 && !this.#isPaused;
  }

  get hasReady(): boolean {
    if (this.#isPaused) return false;
    if (this.#ready.length === 0) this.#fill();
    return this.#ready.length > 0;
  }

  put(message: StoredMessage, key: string | undefined, delayMs: number): Promise<string> {
    const store = this.#queues.current;
    if (store === undefined) return this.#queues.open().then(() => this.put(message, key, delayMs));
    return store.put(this.name, message, { key, delayMs }).then((queued) => {
      this.#onStored(queued, message);
      return queued.id;
    });
  }

  /** Resolves when the store is open. */
  async subscribe(subscriber: QueueSubscriber): Promise<void> {
    const store = await this.#queues.open();
    if (this.#store === undefined) {
      this.#store = store;
      this.#keys.hold(store.held(this.name));
    }
    this.#subscribers.push(subscriber);
    subscriber.wake();
  }

  unsubscribe(subscriber: QueueSubscriber): void {
    const at = this.#subscribers.lastIndexOf(subscriber);
    if (at >= 0) this.#subscribers.splice(at, 1);
    if (this.#subscribers.length === 0) this.#dropState();
    else this.#subscribers.at(-1)?.wake();
  }

  isActive(subscriber: QueueSubscriber): boolean {
    return this.#subscribers.at(-1) === subscriber;
  }

  take(): LoadedEntry | undefined {
    while (!this.#isPaused) {
      if (this.#ready.length === 0) this.#fill();
      const entry = this.#ready.shift();
      if (entry === undefined) return undefined;
      if (entry.message !== undefined) this.#bytes -= storedSize(entry.message);
      const message = entry.message ?? this.#openStore.read(entry.seq);
      if (message !== undefined) return { ...entry, message };
      this.#forget(entry);
    }
    return undefined;
  }

  isSuspect(entry: LoadedEntry): boolean {
    return this.#openStore.isSuspect(entry.seq);
  }

  async begin(entry: LoadedEntry): Promise<boolean> {
    const record = (): Promise<void> => this.#openStore.begin(entry.seq, entry.attempts + 1);
    try {
      await record();
      return true;
    } catch (error) {
      const requeue = (delayMs: number): void => this.#requeueAfter(entry, entry.attempts, delayMs);
      this.#retryWhenAccepted({ action: "record an attempt", write: () => record().then(() => requeue(0)), onPermanentFailure: () => requeue(1_000) }, error);
      return false;
    }
  }

  done(entry: LoadedEntry): void {
    this.#releaseKey(entry);
    // Track it until the row is deleted: a page read meanwhile would still find it.
    this.#settle({
      action: "delete a finished message",
      write: () => this.#openStore.remove(this.name, entry).then(() => void this.#tracked.delete(entry.seq)),
    });
  }

  deadLetter(entry: LoadedEntry, details: DeadLetterDetails): void {
    this.#settle({
      action: "move a message to the dead letters",
      write: () => this.#openStore.deadLetter(this.name, entry, details).then(() => this.#forget(entry)),
      onPermanentFailure: () => this.#requeueAfter(entry, entry.attempts, 1_000),
    });
  }

  retry(entry: LoadedEntry, attempts: number, delayMs: number): void {
    const due = this.#openStore.now() + delayMs;
    this.#settle({
      action: "record a failed attempt",
      write: () => this.#openStore.postpone(entry, attempts, due).then(() => this.#readmit({ ...entry, attempts, due, message: undefined })),
      onPermanentFailure: () => this.#requeueAfter(entry, attempts, delayMs),
    });
  }

  requeue(entry: LoadedEntry, delayMs = 0): void {
    this.#requeueAfter(entry, entry.attempts, delayMs);
  }

  /** The message is done unless it is in flight again. */
  doneLate(entry: LoadedEntry): void {
    if (!this.#tracked.has(entry.seq)) this.done(entry);
  }

  get #openStore(): QueueStore {
    if (this.#store === undefined) throw new Error(`queue '${this.name}' was never opened`);
    return this.#store;
  }

  #onStored(queued: QueuedMessage, message: StoredMessage): void {
    // A page read meanwhile may already contain it.
    if (this.#subscribers.length === 0 || this.#tracked.has(queued.seq)) return;
    if (queued.due > this.#openStore.now()) return this.#wakeAt(queued.due);
    if (this.#cursor !== undefined && !isAfter(queued, this.#cursor)) return this.#admit({ ...queued, message: undefined });
    const isNext = this.#caughtUp && this.#ready.length < maxWindow && (this.#nextDue === undefined || this.#nextDue > queued.due);
    if (isNext) {
      this.#cursor = queued;
      this.#admit({ ...queued, message: this.#bytes + queued.size <= windowBytes ? message : undefined });
    } else {
      this.#caughtUp = false;
      this.#subscribers.at(-1)?.wake();
    }
  }

  #admit(entry: Entry): void {
    this.#tracked.add(entry.seq);
    if (entry.key !== undefined && !this.#keys.acquire(entry.key, entry.message === undefined ? entry : { ...entry, message: undefined })) return;
    if (entry.message !== undefined) this.#bytes += storedSize(entry.message);
    this.#ready.push(entry);
    this.#subscribers.at(-1)?.wake();
  }

  #fill(): void {
    if (this.#caughtUp || this.#subscribers.length === 0 || this.#keys.parked >= maxParked) return;
    const store = this.#openStore;
    const page = store.page(this.name, this.#cursor, store.now(), pageSize);
    for (const queued of page) {
      this.#cursor = queued;
      if (!this.#tracked.has(queued.seq)) this.#admit({ ...queued, message: undefined });
    }
    if (page.length === pageSize) return this.#ready.length === 0 ? this.#fill() : undefined;
    this.#caughtUp = true;
    this.#nextDue = undefined;
    const next = store.nextDue(this.name, this.#cursor);
    if (next !== undefined) this.#wakeAt(next);
  }

  /** Sets a timer for the next due message. */
  #wakeAt(due: number): void {
    if (this.#subscribers.length === 0 || (this.#nextDue !== undefined && this.#nextDue <= due)) return;
    this.#nextDue = due;
    this.#cancelTimer?.();
    this.#cancelTimer = this.clock.after(Math.max(0, due - this.#openStore.now()), () => {
      this.#cancelTimer = undefined;
      this.#nextDue = undefined;
      this.#caughtUp = false;
      this.#subscribers.at(-1)?.wake();
    });
  }

  /** The row has a new position. If it is after the cursor, a page read finds it; otherwise it must be added here. */
  #readmit(entry: Entry): void {
    this.#tracked.delete(entry.seq);
    if (this.#subscribers.length === 0) return;
    if (this.#cursor !== undefined && !isAfter(entry, this.#cursor)) this.#admit(entry);
    else this.#wakeAt(entry.due);
  }

  #requeueAfter(entry: Entry, attempts: number, delayMs: number): void {
    const admitAgain = (): void => {
      this.#tracked.delete(entry.seq);
      if (this.#subscribers.length > 0) this.#admit({ ...entry, attempts, message: undefined });
    };
    if (delayMs > 0 && this.#subscribers.length > 0) this.clock.after(delayMs, admitAgain);
    else admitAgain();
  }

  #forget(entry: Entry): void {
    this.#tracked.delete(entry.seq);
    this.#releaseKey(entry);
  }

  /** The message is finished: release its key for the next one. */
  #releaseKey(entry: Entry): void {
    if (entry.key === undefined) return;
    const next = this.#keys.release(entry.key, entry.seq);
    if (next === undefined) return;
    this.#ready.push(next);
    this.#subscribers.at(-1)?.wake();
  }

  /** No consumers: drop the in-memory state; the messages are on disk and are read again later. */
  #dropState(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#nextDue = undefined;
    this.#cursor = undefined;
    this.#caughtUp = false;
    this.#bytes = 0;
    for (let entry = this.#ready.shift(); entry !== undefined; entry = this.#ready.shift()) {
      this.#tracked.delete(entry.seq);
      if (entry.key !== undefined && entry.attempts === 0) this.#keys.drop(entry.key, entry.seq);
    }
    for (const entry of this.#keys.unpark()) this.#tracked.delete(entry.seq);
  }

  #settle(settlement: Settlement): void {
    settlement.write().catch((error: unknown) => this.#retryWhenAccepted(settlement, error));
  }

  /** Pauses the queue and retries the change until the disk accepts it. */
  #retryWhenAccepted(settlement: Settlement, error: unknown): void {
    if (!this.#isRetryable(settlement, error)) return;
    this.#unsettled.push(settlement);
    if (this.#isPaused) return;
    this.#isPaused = true;
    const { message } = toFlowError(error);
    this.#log.write(
      "ERROR",
      "sluice.queue",
      `Queue '${this.name}' could not ${settlement.action}: ${message}; the queue is paused until the disk accepts changes`,
    );
    this.clock.after(diskRetryMs, () => void this.#retryUnsettled());
  }

  async #retryUnsettled(): Promise<void> {
    const pending = this.#unsettled;
    this.#unsettled = [];
    const [first, ...others] = pending;
    // Retry one change first: the others would fail too while the disk rejects it.
    const rejected = first === undefined || (await this.#isRejectedAgain(first)) ? pending : await this.#retryAll(others);
    this.#unsettled.unshift(...rejected);
    if (this.#unsettled.length > 0) return void this.clock.after(diskRetryMs, () => void this.#retryUnsettled());
    this.#isPaused = false;
    this.#log.write("INFO", "sluice.queue", `Queue '${this.name}' continues: the disk accepts changes again`);
    this.#subscribers.at(-1)?.wake();
  }

  /** Retries the changes; resolves with those that the disk rejected again. */
  async #retryAll(settlements: readonly Settlement[]): Promise<readonly Settlement[]> {
    const isRejected = await Promise.all(settlements.map((settlement) => this.#isRejectedAgain(settlement)));
    return settlements.filter((_, index) => isRejected[index]);
  }

  #isRejectedAgain(settlement: Settlement): Promise<boolean> {
    return settlement.write().then(
      () => false,
      (error: unknown) => this.#isRetryable(settlement, error),
    );
  }

  /** True when the change can be retried; otherwise it is discarded here. */
  #isRetryable(settlement: Settlement, error: unknown): boolean {
    const { message, retryable } = toFlowError(error);
    if (retryable) return true;
    this.#log.write("ERROR", "sluice.queue", `Queue '${this.name}' could not ${settlement.action}: ${message}`);
    settlement.onPermanentFailure?.();
    return false;
  }
}

function isAfter(a: Position, b: Position): boolean {
  return a.due > b.due || (a.due === b.due && a.seq > b.seq);
}
