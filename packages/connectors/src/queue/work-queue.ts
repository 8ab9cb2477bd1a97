// One durable queue while somebody works on it: which messages are due, which keys are held up, and who is served. What
// lies on disk is read in pages; in memory are positions and, as far as there is room, messages that just came in.
import { FlowError, type Clock, type Log } from "@sluice/engine/spi";
import { WaitingLine } from "../seda/waiting-line.ts";
import { HeldKeys } from "./held-keys.ts";
import type { Burial, DurableQueues, Position, QueuedMessage, QueueStore } from "./durable-queues.ts";
import { storedSize, type StoredMessage } from "./stored-message.ts";

const pageSize = 256;
/** Positions kept ahead; a key that is held up for long must not stop the others. */
const longestWindow = 10_000;
const longestParked = 100_000;
/** Messages kept in memory between arrival and delivery; others are read again. */
const windowBytes = 8 * 1024 * 1024;

export interface Entry extends QueuedMessage {
  /** Undefined when it must be read from disk. */
  readonly message: StoredMessage | undefined;
}

/** Somebody who takes messages; `wake` says that there is one. */
export interface Taker {
  wake(): void;
}

export class WorkQueue {
  readonly name: string;
  readonly clock: Clock;
  readonly #queues: DurableQueues;
  readonly #log: Log;
  readonly #takers: Taker[] = [];
  readonly #ready = new WaitingLine<Entry>();
  readonly #keys = new HeldKeys<Entry>();
  /** What is ready, parked or being worked on: never taken from disk a second time. */
  readonly #known = new Set<number>();
  #store: QueueStore | undefined = undefined;
  #cursor: Position | undefined = undefined;
  /** Everything due up to the cursor is known, and nothing due lies behind it. */
  #caughtUp = false;
  #nextDue: number | undefined = undefined;
  #alarm: (() => void) | undefined = undefined;
  #bytes = 0;

  constructor(name: string, queues: DurableQueues, clock: Clock, log: Log) {
    this.name = name;
    this.clock = clock;
    this.#queues = queues;
    this.#log = log;
  }

  /** True when nothing would be lost by forgetting this object. */
  get idle(): boolean {
    return this.#takers.length === 0 && this.#known.size === 0;
  }

  get hasReady(): boolean {
    if (this.#ready.length === 0) this.#fill();
    return this.#ready.length > 0;
  }

  /** Resolves with the message's id when it is on disk. */
  put(message: StoredMessage, key: string | undefined, delayMs: number): Promise<string> {
    const store = this.#queues.current;
    if (store === undefined) return this.#queues.open().then(() => this.put(message, key, delayMs));
    return store.put(this.name, message, { key, delayMs }).then((queued) => {
      this.#arrived(queued, message);
      return queued.id;
    });
  }

  /** The newest taker is served; older ones finish what they have. Resolves when the store is open. */
  async join(taker: Taker): Promise<void> {
    const store = await this.#queues.open();
    if (this.#store === undefined) {
      this.#store = store;
      this.#keys.hold(store.held(this.name));
    }
    this.#takers.push(taker);
    taker.wake();
  }

  leave(taker: Taker): void {
    const at = this.#takers.lastIndexOf(taker);
    if (at >= 0) this.#takers.splice(at, 1);
    if (this.#takers.length === 0) this.#rest();
    else this.#takers.at(-1)?.wake();
  }

  isServed(taker: Taker): boolean {
    return this.#takers.at(-1) === taker;
  }

  /** The next message that is due, if any; it is the taker's until it is done, failed or given back. */
  take(): (Entry & { readonly message: StoredMessage }) | undefined {
    for (;;) {
      if (this.#ready.length === 0) this.#fill();
      const entry = this.#ready.shift();
      if (entry === undefined) return undefined;
      if (entry.message !== undefined) this.#bytes -= storedSize(entry.message);
      const message = entry.message ?? this.#open.read(entry.seq);
      if (message !== undefined) return { ...entry, message };
      this.#forget(entry);
    }
  }

  isSuspect(entry: Entry): boolean {
    return this.#open.isSuspect(entry.seq);
  }

  begin(entry: Entry): Promise<void> {
    return this.#open.begin(entry.seq, entry.attempts + 1);
  }

  done(entry: Entry): void {
    this.#passOn(entry);
    // Known until the row is gone: a page read meanwhile would still find it.
    this.#lasting(
      this.#open.remove(this.name, entry).then(() => void this.#known.delete(entry.seq)),
      "take a finished message off",
    );
  }

  bury(entry: Entry, burial: Burial): void {
    const buried = this.#open.bury(this.name, entry, burial).then(() => this.#forget(entry));
    this.#lasting(buried, "move a message to the dead letters", () => this.#later(entry, entry.attempts, 1_000));
  }

  /** Puts a message off after a failed try. */
  retry(entry: Entry, attempts: number, delayMs: number): void {
    const due = this.#open.now() + delayMs;
    const noted = this.#open.again(entry, attempts, due).then(() => this.#readmit({ ...entry, attempts, due, message: undefined }));
    this.#lasting(noted, "note a failed try", () => this.#later(entry, attempts, delayMs));
  }

  /** Hands a message back as if it had not been taken. */
  giveBack(entry: Entry, delayMs = 0): void {
    this.#later(entry, entry.attempts, delayMs);
  }

  /** A run that was given up on ended well after all: the message is done unless it is under way again. */
  doneLate(entry: Entry): void {
    if (!this.#known.has(entry.seq)) this.done(entry);
  }

  get #open(): QueueStore {
    if (this.#store === undefined) throw new Error(`queue '${this.name}' was never opened`);
    return this.#store;
  }

  #arrived(queued: QueuedMessage, message: StoredMessage): void {
    // A page that was read meanwhile may have it already.
    if (this.#takers.length === 0 || this.#known.has(queued.seq)) return;
    if (queued.due > this.#open.now()) return this.#expect(queued.due);
    if (this.#cursor !== undefined && !isAfter(queued, this.#cursor)) return this.#admit({ ...queued, message: undefined });
    const direct = this.#caughtUp && this.#ready.length < longestWindow && (this.#nextDue === undefined || this.#nextDue > queued.due);
    if (direct) {
      this.#cursor = queued;
      this.#admit({ ...queued, message: this.#bytes + queued.size <= windowBytes ? message : undefined });
    } else {
      this.#caughtUp = false;
      this.#takers.at(-1)?.wake();
    }
  }

  #admit(entry: Entry): void {
    this.#known.add(entry.seq);
    if (entry.key !== undefined && !this.#keys.mayGo(entry.key, entry.message === undefined ? entry : { ...entry, message: undefined })) return;
    if (entry.message !== undefined) this.#bytes += storedSize(entry.message);
    this.#ready.push(entry);
    this.#takers.at(-1)?.wake();
  }

  #fill(): void {
    if (this.#caughtUp || this.#takers.length === 0 || this.#keys.parked >= longestParked) return;
    const store = this.#open;
    const page = store.page(this.name, this.#cursor, store.now(), pageSize);
    for (const queued of page) {
      this.#cursor = queued;
      if (!this.#known.has(queued.seq)) this.#admit({ ...queued, message: undefined });
    }
    if (page.length === pageSize) return this.#ready.length === 0 ? this.#fill() : undefined;
    this.#caughtUp = true;
    this.#nextDue = undefined;
    const next = store.nextDue(this.name, this.#cursor);
    if (next !== undefined) this.#expect(next);
  }

  /** Looks again when something falls due. */
  #expect(due: number): void {
    if (this.#takers.length === 0 || (this.#nextDue !== undefined && this.#nextDue <= due)) return;
    this.#nextDue = due;
    this.#alarm?.();
    this.#alarm = this.clock.after(Math.max(0, due - this.#open.now()), () => {
      this.#alarm = undefined;
      this.#nextDue = undefined;
      this.#caughtUp = false;
      this.#takers.at(-1)?.wake();
    });
  }

  /** The row stands in a new place: behind the cursor a page will find it, before it nobody would. */
  #readmit(entry: Entry): void {
    this.#known.delete(entry.seq);
    if (this.#takers.length === 0) return;
    if (this.#cursor !== undefined && !isAfter(entry, this.#cursor)) this.#admit(entry);
    else this.#expect(entry.due);
  }

  #later(entry: Entry, attempts: number, delayMs: number): void {
    const back = (): void => {
      this.#known.delete(entry.seq);
      if (this.#takers.length > 0) this.#admit({ ...entry, attempts, message: undefined });
    };
    if (delayMs > 0 && this.#takers.length > 0) this.clock.after(delayMs, back);
    else back();
  }

  #forget(entry: Entry): void {
    this.#known.delete(entry.seq);
    this.#passOn(entry);
  }

  /** It is over for this message: its key is free for the next. */
  #passOn(entry: Entry): void {
    if (entry.key === undefined) return;
    const next = this.#keys.release(entry.key, entry.seq);
    if (next === undefined) return;
    this.#ready.push(next);
    this.#takers.at(-1)?.wake();
  }

  /** Nobody takes any more: what lies here is on disk, and is read from there when somebody comes. */
  #rest(): void {
    this.#alarm?.();
    this.#alarm = undefined;
    this.#nextDue = undefined;
    this.#cursor = undefined;
    this.#caughtUp = false;
    this.#bytes = 0;
    for (let entry = this.#ready.shift(); entry !== undefined; entry = this.#ready.shift()) {
      this.#known.delete(entry.seq);
      if (entry.key !== undefined && entry.attempts === 0) this.#keys.drop(entry.key, entry.seq);
    }
    for (const entry of this.#keys.unpark()) this.#known.delete(entry.seq);
  }

  #lasting(written: Promise<void>, what: string, otherwise?: () => void): void {
    written.catch((error: unknown) => {
      const reason = error instanceof FlowError || error instanceof Error ? error.message : String(error);
      this.#log.write("ERROR", "sluice.queue", `queue '${this.name}' could not ${what}: ${reason}`);
      otherwise?.();
    });
  }
}

function isAfter(one: Position, other: Position): boolean {
  return one.due > other.due || (one.due === other.due && one.seq > other.seq);
}
