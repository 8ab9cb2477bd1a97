// The durable queues of a node: their messages are in the store of the cluster, and any node processes them.
import {
  storedSize,
  type DeadLetterDetails,
  type Queue,
  type QueueSubscriber,
  type SharedQueues,
  type StoredMessage,
  type ClaimedMessage,
} from "@sluice/connectors";
import { FlowError, isClusterError, type Clock, type Cluster, type Consumption, type Host, type Ids, type Log, type QueueDelivery } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import type { DeadLetterMetadata } from "../store/dead-letter-table.ts";

/** Maximum number of messages that wait for the store; more are rejected, so that an outage does not fill the memory. */
const maxWaiting = 10_000;
const maxWaitingBytes = 64 * 1024 * 1024;
const deadLetterRetryMs = 1_000;
/** How long a node waits for its last messages with a key before it checks again whether it still has to give up the slot. */
const keysMs = 10_000;
/** How long a stopping node waits until its settled messages are removed from the store. */
const closeMs = 5_000;

export interface SharedQueueParts {
  readonly cluster: Cluster;
  readonly ids: Ids;
  readonly maxMessageBytes: number;
  /** False while the other nodes may have declared this one dead, for example after it was suspended. */
  isSessionValid(): boolean;
  /** The token of the slot that a queue belongs to, while this node holds it. */
  keyToken(queue: string): number | undefined;
  /**
   * Resolves when the dead letter is stored. It has the id of the message, so that if this node dies before the message is removed, the next node replaces
   * the dead letter.
   */
  storeDeadLetter(id: string, message: StoredMessage, metadata: DeadLetterMetadata): Promise<unknown>;
}

export class ClusterQueues implements SharedQueues {
  readonly current: { readonly maxMessageBytes: number };
  readonly #parts: SharedQueueParts;
  readonly #queues = new Set<ClusterQueue>();
  #waiting = 0;
  #waitingBytes = 0;

  constructor(parts: SharedQueueParts) {
    this.#parts = parts;
    this.current = parts;
  }

  async open(): Promise<void> {
    // A node is connected before it loads flows.
  }

  /** Messages of test sessions are not accepted. */
  isOpenSession(): boolean {
    return false;
  }

  find(name: string, { clock, log }: Pick<Host, "clock" | "log">): Queue {
    const { cluster, isSessionValid, keyToken, storeDeadLetter } = this.#parts;
    const queue = new ClusterQueue(name, clock, {
      log,
      storeDeadLetter,
      put: (message, key, delayMs) => this.#put(name, message, key, delayMs),
      consume: (receiver) => cluster.queues.consume(name, receiver),
      isSessionValid,
      keyToken: () => keyToken(name),
      changed: () => void (queue.idle ? this.#queues.delete(queue) : this.#queues.add(queue)),
    });
    return queue;
  }

  /** Applies a change of the slots. Resolves with true when this node processes no messages of slots that it does not hold, or with false after a timeout. */
  slotsChanged(): Promise<boolean> {
    const all = [...this.#queues];
    for (const queue of all) queue.refresh();
    return withTimeout(
      keysMs,
      all.map((queue) => queue.keysReleased()),
    );
  }

  /** Waits until the store has removed the settled messages. */
  async close(): Promise<void> {
    await withTimeout(
      closeMs,
      [...this.#queues].map((queue) => queue.close()),
    );
  }

  /** Stores a message for an exclusive consumer: its key is its id. */
  async putSingle(queue: string, message: StoredMessage): Promise<void> {
    const id = this.#parts.ids.next();
    await this.#put(queue, message, id, 0, id);
  }

  async #put(queue: string, message: StoredMessage, key: string | undefined, delayMs: number, id = this.#parts.ids.next()): Promise<string> {
    const { cluster } = this.#parts;
    const size = storedSize(message);
    if (this.#waiting >= maxWaiting || this.#waitingBytes + size > maxWaitingBytes)
      throw new FlowError("java.lang.IllegalStateException", `queue '${queue}' is full: ${this.#waiting} messages wait for the store of the cluster`, {
        code: "queue-full",
        retryable: true,
      });
    rejectSessionMessage(queue, message);
    this.#waiting++;
    this.#waitingBytes += size;
    try {
      await cluster.queues.put(queue, message, { id, key, delayMs });
      return id;
    } catch (error) {
      throw putFailure(queue, error);
    } finally {
      this.#waiting--;
      this.#waitingBytes -= size;
    }
  }
}

/** Resolves with true when all promises have resolved, with false after this time. */
const withTimeout = (ms: number, promises: readonly Promise<void>[]): Promise<boolean> => {
  if (promises.length === 0) return Promise.resolve(true);
  let cancel = (): void => undefined;
  const timeout = new Promise<false>((resolve) => (cancel = systemClock.after(ms, () => resolve(false))));
  return Promise.race([Promise.all(promises).then(() => true), timeout]).finally(() => cancel());
};

/** A session exists on one node, but any node may process the message. */
function rejectSessionMessage(queue: string, { envelope }: StoredMessage): void {
  if (!envelope.includes('"session":')) return;
  if ((JSON.parse(envelope) as { readonly session?: unknown }).session === undefined) return;
  throw new FlowError(
    "java.lang.UnsupportedOperationException",
    `a message of a test session cannot be sent to queue '${queue}' in a cluster: mock the step that sends it`,
    { code: "cluster-unsupported" },
  );
}

function putFailure(queue: string, cause: unknown): FlowError {
  const { message } = cause as Error;
  const kind = isClusterError(cause) ? cause.kind : undefined;
  if (kind === "too-large")
    return new FlowError("java.lang.IllegalArgumentException", `the message cannot be stored in the cluster: ${message}`, {
      code: "message-too-large",
      cause,
    });
  if (kind === "full")
    return new FlowError("java.lang.IllegalStateException", `queue '${queue}' is full: ${message}`, { code: "queue-full", retryable: true, cause });
  return new FlowError("java.io.IOException", `queue '${queue}' cannot store the message: ${message}`, { code: "store-failed", retryable: true, cause });
}

interface QueueParts {
  readonly log: Log;
  put: Queue["put"];
  consume(receiver: Parameters<Cluster["queues"]["consume"]>[1]): Consumption;
  isSessionValid: SharedQueueParts["isSessionValid"];
  keyToken(): number | undefined;
  storeDeadLetter: SharedQueueParts["storeDeadLetter"];
  /** Called when `idle` may have changed. */
  changed(): void;
}

class ClaimedDelivery implements ClaimedMessage {
  readonly delivery: QueueDelivery;

  constructor(delivery: QueueDelivery) {
    this.delivery = delivery;
  }

  get id(): string {
    return this.delivery.id;
  }

  get attempts(): number {
    return this.delivery.attempt - 1;
  }

  get message(): StoredMessage {
    return this.delivery.message as StoredMessage;
  }
}

class ClusterQueue implements Queue {
  readonly name: string;
  readonly clock: Clock;
  readonly #parts: QueueParts;
  readonly #subscribers: QueueSubscriber[] = [];
  #ready: ClaimedDelivery[] = [];
  #consumption: Consumption | undefined = undefined;
  /** Consumptions whose last messages are not settled yet. */
  readonly #ending = new Set<Promise<void>>();

  constructor(name: string, clock: Clock, parts: QueueParts) {
    this.name = name;
    this.clock = clock;
    this.#parts = parts;
  }

  get idle(): boolean {
    return this.#subscribers.length === 0 && this.#ending.size === 0;
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  put(message: StoredMessage, key: string | undefined, delayMs: number): Promise<string> {
    return this.#parts.put(message, key, delayMs);
  }

  async subscribe(subscriber: QueueSubscriber): Promise<void> {
    this.#subscribers.push(subscriber);
    if (this.#consumption === undefined)
      this.#consumption = this.#parts.consume({
        concurrency: () => (this.#parts.isSessionValid() ? (this.#subscribers.at(-1)?.concurrency ?? 0) : 0),
        // Messages of an earlier consumption may still run here.
        keyToken: () => (this.#ending.size > 0 ? undefined : this.#parts.keyToken()),
        deliver: (delivery) => this.#admit(new ClaimedDelivery(delivery)),
      });
    else this.#consumption.refresh();
    this.#parts.changed();
    subscriber.wake();
  }

  unsubscribe(subscriber: QueueSubscriber): void {
    const at = this.#subscribers.lastIndexOf(subscriber);
    if (at >= 0) this.#subscribers.splice(at, 1);
    if (this.#subscribers.length === 0) return this.#stopConsuming();
    this.#consumption?.refresh();
    this.#subscribers.at(-1)?.wake();
  }

  isActive(subscriber: QueueSubscriber): boolean {
    return this.#subscribers.at(-1) === subscriber;
  }

  take(): ClaimedDelivery | undefined {
    return this.#ready.shift();
  }

  /** The store counts attempts in which a node died. */
  isSuspect({ attempts }: ClaimedDelivery): boolean {
    return attempts > 0;
  }

  /** The store has recorded the attempt. */
  async begin(): Promise<boolean> {
    return true;
  }

  done({ delivery }: ClaimedDelivery): void {
    void delivery.done();
  }

  deadLetter(claimed: ClaimedDelivery, details: DeadLetterDetails): void {
    const { storeDeadLetter, log } = this.#parts;
    storeDeadLetter(claimed.id, claimed.message, { ...details, source: `queue:${this.name}`, input: undefined }).then(
      () => claimed.delivery.done(),
      (error: unknown) => {
        log.write("ERROR", "sluice.queue", `Cannot move a message of queue '${this.name}' to the dead letters: ${(error as Error).message}; retrying`);
        this.clock.after(deadLetterRetryMs, () => this.deadLetter(claimed, details));
      },
    );
  }

  retry({ delivery }: ClaimedDelivery, _attempts: number, delayMs: number): void {
    delivery.retry(delayMs);
  }

  /** The message stays on this node while this node has a consumer. */
  requeue(claimed: ClaimedDelivery, delayMs = 0): void {
    if (delayMs > 0 && this.#subscribers.length > 0) this.clock.after(delayMs, () => this.#admit(claimed));
    else this.#admit(claimed);
  }

  /** The message was requeued after its time limit, so it runs again. */
  doneLate(): void {
    // Delivered at least once.
  }

  refresh(): void {
    this.#consumption?.refresh();
  }

  /** Resolves when no message with a key runs here, unless this node holds the slot of the queue. */
  async keysReleased(): Promise<void> {
    if (this.#parts.keyToken() === undefined) await this.#consumption?.keysSettled();
  }

  async close(): Promise<void> {
    if (this.#subscribers.length === 0) await Promise.all(this.#ending);
  }

  #admit(claimed: ClaimedDelivery): void {
    const subscriber = this.#subscribers.at(-1);
    if (subscriber === undefined) return claimed.delivery.requeue();
    this.#ready.push(claimed);
    subscriber.wake();
  }

  /** Without consumers, messages that have not started go back to the store. */
  #stopConsuming(): void {
    const returned = this.#ready;
    this.#ready = [];
    for (const { delivery } of returned) delivery.requeue();
    const ending = this.#consumption?.stop();
    this.#consumption = undefined;
    if (ending === undefined) return;
    this.#ending.add(ending);
    void ending.then(() => {
      this.#ending.delete(ending);
      this.refresh();
      this.#parts.changed();
    });
  }
}
