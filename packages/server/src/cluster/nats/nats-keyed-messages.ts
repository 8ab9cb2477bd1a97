// Messages with a key on JetStream. One node reads them forward by sequence and delivers those of a key one at a time. It uses no
// server-side consumer: the stream contains the unsettled messages in order, so the next node reads it from the start. Only delivery attempts are
// recorded, in a separate stream.
import type { QueueReceiver } from "@sluice/engine";
import { InterruptiblePause } from "../interruptible-pause.ts";
import { systemClock } from "../../host/clock.ts";
import { retryOperation } from "../retry-operation.ts";
import { settleOnce, Unsettled } from "../unsettled.ts";
import { attemptMs, deleteSequence, nextOf, storeLink, type NatsLink } from "./nats-link.ts";
import { retryWhileConnected } from "./nats-publish.ts";
import { attemptStreamOf, decodeQueued, keyedAnnouncement, queueStreamOf, queueSubjectOf, type QueuedContent } from "./nats-queue-message.ts";

/** New messages are announced by their sender; polling finds those of a sender that died before the announcement. */
const pollMs = 3_000;
const retryMs = 500;
/** Maximum number of messages that are read ahead, so that a key that is blocked for a long time does not block the others. */
const maxWindow = 10_000;
/** Memory for messages between reading and delivery; messages that do not fit are read again. */
const windowBytes = 8 * 1024 * 1024;
/** After a takeover, the first messages may be those that killed the previous node: their attempts are recorded before they start. */
const maxSuspects = 1_000;

interface Entry {
  readonly key: string;
  readonly seq: number;
  readonly size: number;
  content: QueuedContent | undefined;
  attempts: number;
  /** True until the attempts of earlier holders are known. */
  isInherited: boolean;
  isSuspect: boolean;
  /** The sequence of the record of its attempts. */
  record: number | undefined;
}

interface KeyedMessageParts {
  readonly queue: string;
  readonly receiver: QueueReceiver;
  capacity(): number;
  settled(): void;
  failed(error: unknown): void;
}

export class NatsKeyedMessages {
  readonly unsettled = new Unsettled<Entry>();
  readonly #link: NatsLink;
  readonly #parts: KeyedMessageParts;
  readonly #subject: string;
  /** The messages of each key in order; only the first of a key is delivered. */
  readonly #messagesByKey = new Map<string, Entry[]>();
  #ready: Entry[] = [];
  #token: number | undefined = undefined;
  #lastSeq = 0;
  #windowSize = 0;
  #bytes = 0;
  #inheritedEnd = 0;
  #remainingSuspects = 0;
  #isStopped = false;
  #isPending = false;
  readonly #pause = new InterruptiblePause();

  constructor(link: NatsLink, parts: KeyedMessageParts) {
    this.#link = link;
    this.#parts = parts;
    this.#subject = queueSubjectOf(link, parts.queue, true);
    void this.#run();
  }

  refresh(): void {
    if (this.#parts.receiver.keyToken() !== this.#token || this.#windowSize >= maxWindow) this.#wake();
    this.#deliverReady();
  }

  stop(): void {
    this.#isStopped = true;
    this.#reset();
    this.#wake();
  }

  get #isHeld(): boolean {
    return !this.#isStopped && this.#token !== undefined && this.#parts.receiver.keyToken() === this.#token;
  }

  async #run(): Promise<void> {
    const link = this.#link;
    const announcements = link.connection.subscribe(keyedAnnouncement(this.#subject), {
      callback: (error) => {
        if (error === null) this.#wake();
      },
    });
    while (!this.#isStopped && !link.connection.isClosed()) {
      this.#isPending = false;
      const isDone = await this.#step().catch(() => this.#pause.wait(retryMs).then(() => false));
      if (isDone && !this.#isPending) await this.#pause.wait(pollMs);
    }
    announcements.unsubscribe();
  }

  /** Reads one message; true when there is nothing to do until something changes. */
  async #step(): Promise<boolean> {
    if (this.#parts.receiver.keyToken() !== this.#token) await this.#takeOver();
    if (!this.#isHeld || this.#windowSize >= maxWindow) return true;
    const { jsm } = this.#link;
    const token = this.#token;
    // From the leader: another replica may still have messages that are settled.
    const next = await jsm.streams.getMessage(queueStreamOf(this.#link), nextOf(this.#lastSeq + 1, this.#subject));
    if (token !== this.#token || !this.#isHeld) return false;
    if (next === null) return true;
    this.#lastSeq = next.seq;
    this.#admit(next.seq, decodeQueued(next.data), next.data.length);
    return false;
  }

  async #takeOver(): Promise<void> {
    this.#reset();
    const token = this.#parts.receiver.keyToken();
    if (token === undefined) return;
    // Messages from before an interruption may still be running here.
    await this.unsettled.whenEmpty();
    const { state } = await this.#link.jsm.streams.info(queueStreamOf(this.#link));
    this.#inheritedEnd = state.last_seq;
    this.#remainingSuspects = maxSuspects;
    this.#token = token;
  }

  #reset(): void {
    this.#token = undefined;
    this.#messagesByKey.clear();
    this.#ready = [];
    this.#lastSeq = 0;
    this.#windowSize = 0;
    this.#bytes = 0;
  }

  #admit(seq: number, content: QueuedContent, size: number): void {
    const { key = "" } = content;
    const isInherited = seq <= this.#inheritedEnd && this.#parts.receiver.isExclusive !== true;
    const isSuspect = isInherited && this.#remainingSuspects-- > 0;
    const isCached = this.#bytes + size <= windowBytes;
    if (isCached) this.#bytes += size;
    const entry: Entry = { key, seq, size, content: isCached ? content : undefined, attempts: 0, isInherited, isSuspect, record: undefined };
    this.#windowSize++;
    const messages = this.#messagesByKey.get(key);
    if (messages !== undefined) return void messages.push(entry);
    this.#messagesByKey.set(key, [entry]);
    this.#makeReady(entry);
  }

  #makeReady(entry: Entry): void {
    this.#ready.push(entry);
    this.#deliverReady();
  }

  #deliverReady(): void {
    while (this.#ready.length > 0 && this.#parts.capacity() > 0 && this.#isHeld) void this.#deliver(this.#ready.shift() as Entry);
  }

  async #deliver(entry: Entry): Promise<void> {
    this.unsettled.add(entry);
    const token = this.#token;
    let content: QueuedContent | undefined;
    try {
      const waitMs = entry.isInherited ? await this.#inherit(entry) : 0;
      if (waitMs > 0) return this.#postpone(entry, waitMs);
      if (entry.isSuspect) await this.#record(entry, entry.attempts + 1, 0);
      content = entry.content ?? (await this.#read(entry.seq));
    } catch {
      return this.#postpone(entry, retryMs);
    }
    // Another node delivers it now.
    if (token !== this.#token || !this.#isHeld) return this.unsettled.delete(entry);
    if (content === undefined) return void this.#finish(entry);
    const { id, key, message } = content;
    const attempt = entry.attempts + 1;
    const settling = settleOnce({
      done: () => this.#finish(entry),
      retry: (delayMs: number) => void this.#recordRetry(entry, attempt, delayMs),
      requeue: () => (entry.isSuspect ? void this.#recordRetry(entry, attempt - 1, 0) : this.#postpone(entry, 0)),
    });
    this.#parts.receiver.deliver({ id, key, message, attempt, ...settling });
  }

  /** Reads the attempts that an earlier holder recorded; returns how long the message has to wait. */
  async #inherit(entry: Entry): Promise<number> {
    const link = this.#link;
    const found = await retryOperation(storeLink(link), () =>
      link.jsm.streams.getMessage(attemptStreamOf(link), { last_by_subj: attemptSubjectOf(link, entry.seq) }),
    );
    entry.isInherited = false;
    if (found === null) return 0;
    const { attempts, dueAt } = JSON.parse(found.string()) as { attempts: number; dueAt: number };
    entry.attempts = attempts;
    entry.record = found.seq;
    return Math.max(0, dueAt - Date.now());
  }

  async #record(entry: Entry, attempts: number, delayMs: number): Promise<void> {
    const link = this.#link;
    const content = JSON.stringify({ attempts, dueAt: Date.now() + delayMs });
    const { seq } = await retryOperation(storeLink(link), () => link.js.publish(attemptSubjectOf(link, entry.seq), content, { timeout: attemptMs }));
    entry.record = seq;
  }

  async #read(seq: number): Promise<QueuedContent | undefined> {
    const link = this.#link;
    const found = await retryOperation(storeLink(link), () => link.jsm.streams.getMessage(queueStreamOf(link), { seq }));
    return found === null ? undefined : decodeQueued(found.data);
  }

  /** Removes the message; the next one of its key follows. */
  async #finish(entry: Entry): Promise<void> {
    const link = this.#link;
    const { seq, record } = entry;
    try {
      await retryWhileConnected(link, () => deleteSequence(link, queueStreamOf(link), seq));
      if (record !== undefined) await retryWhileConnected(link, () => deleteSequence(link, attemptStreamOf(link), record));
    } catch (error) {
      this.#parts.failed(error);
    }
    this.unsettled.delete(entry);
    const messages = this.#messagesByKey.get(entry.key);
    if (messages?.[0] === entry) {
      this.#windowSize--;
      if (entry.content !== undefined) this.#bytes -= entry.size;
      messages.shift();
      const [next] = messages;
      if (next === undefined) this.#messagesByKey.delete(entry.key);
      else this.#makeReady(next);
    }
    this.#parts.settled();
  }

  /** Records the attempts, so that another holder can read them. The message stays in its place and blocks its key. */
  async #recordRetry(entry: Entry, attempts: number, delayMs: number): Promise<void> {
    try {
      await retryWhileConnected(this.#link, () => this.#record(entry, attempts, delayMs));
    } catch (error) {
      this.#parts.failed(error);
    }
    entry.attempts = attempts;
    this.#postpone(entry, delayMs);
  }

  #postpone(entry: Entry, delayMs: number): void {
    this.unsettled.delete(entry);
    const makeReadyAgain = (): void => {
      if (this.#messagesByKey.get(entry.key)?.[0] === entry) this.#makeReady(entry);
    };
    if (delayMs > 0) systemClock.after(delayMs, makeReadyAgain);
    else makeReadyAgain();
    this.#parts.settled();
  }

  #wake(): void {
    this.#isPending = true;
    this.#pause.interrupt();
  }
}

const attemptSubjectOf = ({ name }: NatsLink, seq: number): string => `${name}.attempts.${seq}`;
