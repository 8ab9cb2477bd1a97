// Records on JetStream: one stream per collection, one subject per record; the revision is the sequence in the stream.
import { randomUUID } from "node:crypto";
import { ClusterError, type Collection, type Log, type Records, type RecordVersion, type Revision, type WatchedCollection } from "@sluice/engine";
import type { StoredMsg } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/transport-node";
import { InterruptiblePause } from "../interruptible-pause.ts";
import { systemClock } from "../../host/clock.ts";
import { retryOperation } from "../retry-operation.ts";
import { apiCode, attemptMs, codeOf, deleteSequence, messageIdHeader, nextOf, payloadLimit, storeLink, tokenOf, tooLarge, type NatsLink } from "./nats-link.ts";

/** Changes are announced by their writer; polling finds those of a writer that crashed before the announcement. */
const pollMs = 1_000;

/** How long a deletion stays in its collection: a node that was disconnected for longer detects the deletion when it reads the record. */
const deletionMs: Partial<Readonly<Record<Collection, number>>> = { "dead-letters": 600_000, "dead-letter-messages": 0, groups: 600_000, sagas: 600_000 };

const idHeader = "Sluice-Id";
const deletedHeader = "KV-Operation";

export const streamOf = ({ name }: NatsLink, collection: Collection): string => `KV_${name}_${collection}`;
const prefixOf = ({ name }: NatsLink, collection: Collection): string => `$KV.${name}_${collection}`;
const subjectOf = (link: NatsLink, collection: Collection, id: string): string => [prefixOf(link, collection), ...id.split("/").map(tokenOf)].join(".");
const announcementSubject = ({ name }: NatsLink, collection: Collection): string => `${name}.revision.${collection}`;

export class NatsRecords implements Records {
  readonly #link: NatsLink;
  readonly #log: Log;
  readonly #watches = new Map<Collection, Set<NatsWatch>>();
  readonly #scheduledRemovals = new Set<() => void>();

  constructor(link: NatsLink, log: Log) {
    this.#link = link;
    this.#log = log;
  }

  async read(collection: Collection, id: string): Promise<RecordVersion | undefined> {
    const found = await this.#newest(collection, id);
    return found === undefined || versionOf(found).bytes === undefined ? undefined : versionOf(found);
  }

  async write(collection: Collection, id: string, bytes: Uint8Array | undefined, expect?: { readonly head: number }): Promise<Revision> {
    const link = this.#link;
    const limit = payloadLimit(link);
    if (bytes !== undefined && bytes.length > limit) throw tooLarge("record", bytes.length, limit);
    const messageId = randomUUID();
    let attempts = 0;
    const revision = await retryOperation(storeLink(link), async () => {
      const headers = link.transport.headers();
      headers.set(idHeader, encodeURIComponent(id));
      if (bytes === undefined) headers.set(deletedHeader, "DEL");
      attempts++;
      try {
        const { seq } = await link.js.publish(subjectOf(link, collection, id), bytes ?? new Uint8Array(), {
          msgID: messageId,
          timeout: attemptMs,
          headers,
          ...(expect === undefined ? {} : { expect: { lastSequence: expect.head } }),
        });
        return seq;
      } catch (error) {
        if (codeOf(error) !== apiCode.wrongLastSequence) throw error;
        // An earlier attempt may have been stored although its acknowledgement was lost.
        const newest = attempts === 1 ? undefined : await this.#newest(collection, id);
        if (newest?.header.get(messageIdHeader) === messageId) return newest.seq;
        throw new ClusterError("conflict", `'${collection}' changed since revision ${expect?.head ?? 0}`, { cause: error });
      }
    });
    const written = { id, bytes, revision, at: Date.now() };
    if (bytes === undefined) this.#scheduleRemoval(collection, written);
    link.connection.publish(announcementSubject(link, collection), String(revision));
    await Promise.all([...(this.#watches.get(collection) ?? [])].map((watch) => watch.written(written)));
    return { revision, at: written.at };
  }

  watch(collection: WatchedCollection, onChange: (change: RecordVersion) => void, onCaughtUp: (head: number) => void): { stop(): void } {
    const watch = new NatsWatch(this.#link, collection, this.#log, { onChange, onCaughtUp, onDeleted: (change) => this.#scheduleRemoval(collection, change) });
    const watches = this.#watches.get(collection) ?? new Set();
    this.#watches.set(collection, watches.add(watch));
    void watch.run();
    return {
      stop() {
        watches.delete(watch);
        watch.stop();
      },
    };
  }

  async versions(collection: Collection, id: string): Promise<readonly RecordVersion[]> {
    const link = this.#link;
    const found: RecordVersion[] = [];
    for (let seq = 1; ;) {
      const next = await retryOperation(storeLink(link), () =>
        link.jsm.streams.getMessage(streamOf(link, collection), nextOf(seq, subjectOf(link, collection, id))),
      );
      if (next === null) return found;
      found.unshift(versionOf(next));
      seq = next.seq + 1;
    }
  }

  close(): void {
    for (const cancel of this.#scheduledRemovals) cancel();
  }

  /** Removes a deletion marker from the stream after its retention time. */
  #scheduleRemoval(collection: Collection, { revision, at }: Revision): void {
    const retentionMs = deletionMs[collection];
    if (retentionMs === undefined) return;
    const cancel = systemClock.after(Math.max(0, at + retentionMs - Date.now()), () => {
      this.#scheduledRemovals.delete(cancel);
      void deleteSequence(this.#link, streamOf(this.#link, collection), revision).catch(() => undefined);
    });
    this.#scheduledRemovals.add(cancel);
  }

  async #newest(collection: Collection, id: string): Promise<StoredMsg | undefined> {
    const link = this.#link;
    const found = await retryOperation(storeLink(link), () =>
      link.jsm.streams.getMessage(streamOf(link, collection), { last_by_subj: subjectOf(link, collection, id) }),
    );
    return found ?? undefined;
  }
}

interface WatchHandlers {
  onChange(change: RecordVersion): void;
  onCaughtUp(head: number): void;
  /** A record that was deleted before the watch began. */
  onDeleted(change: RecordVersion): void;
}

/** After the initial load, reads the stream by sequence number. Unlike a consumer on the server, this has no state that could be lost in a failover. */
class NatsWatch {
  readonly #link: NatsLink;
  readonly #collection: Collection;
  readonly #log: Log;
  readonly #handlers: WatchHandlers;
  readonly #waiting = new Set<{ readonly revision: number; readonly resolve: () => void }>();
  /** The last revision that was reported. */
  #reported = 0;
  #isLive = false;
  #isStopped = false;
  #hasFailed = false;
  #announced = 0;
  readonly #pause = new InterruptiblePause();

  constructor(link: NatsLink, collection: Collection, log: Log, handlers: WatchHandlers) {
    this.#link = link;
    this.#collection = collection;
    this.#log = log;
    this.#handlers = handlers;
  }

  async run(): Promise<void> {
    const link = this.#link;
    const announcements = link.connection.subscribe(announcementSubject(link, this.#collection), {
      callback: (error, message) => {
        if (error === null) this.#announce(Number(message.string()));
      },
    });
    while (!this.#isStopped) {
      try {
        if (this.#isLive) await this.#follow();
        else await this.#load();
        this.#hasFailed = false;
      } catch (error) {
        if (!this.#hasFailed && !link.connection.isClosed())
          this.#log.write(
            "WARN",
            "sluice.cluster",
            `Cannot read collection '${this.#collection}' from the cluster store: ${(error as Error).message}; retrying`,
          );
        this.#hasFailed = true;
        await this.#pause.wait(pollMs);
      }
    }
    announcements.unsubscribe();
    this.#settle(Infinity);
  }

  stop(): void {
    this.#isStopped = true;
    this.#pause.interrupt();
  }

  /** Call after this node wrote a change; resolves when the watch has reported it. */
  written(change: RecordVersion): Promise<void> {
    // The next change in order need not be read from the store.
    if (this.#isLive && this.#reported === change.revision - 1) this.#report(change);
    if (this.#reported >= change.revision || this.#isStopped) return Promise.resolve();
    this.#announce(change.revision);
    return new Promise((resolve) => void this.#waiting.add({ revision: change.revision, resolve }));
  }

  /** Reports the newest version of every record, in order. */
  async #load(): Promise<void> {
    const { js, jsm, jetstream } = this.#link;
    const stream = streamOf(this.#link, this.#collection);
    const { state } = await jsm.streams.info(stream);
    const records: RecordVersion[] = [];
    let head = state.last_seq;
    if (state.messages > 0) {
      const consumer = await js.consumers.get(stream, { deliver_policy: jetstream.DeliverPolicy.LastPerSubject });
      const messages = await consumer.consume({ max_messages: 500 });
      const startTimeout = (): (() => void) => systemClock.after(attemptMs, () => messages.stop());
      let cancel = startTimeout();
      let isComplete = false;
      for await (const message of messages) {
        cancel();
        head = Math.max(head, message.seq);
        records.push(versionOf({ seq: message.seq, header: message.headers, data: message.data, time: new Date(message.info.timestampNanos / 1e6) }));
        // The number of pending messages may never be 0 when records are replaced while they are read.
        isComplete = message.info.pending === 0 || message.seq >= state.last_seq || this.#isStopped;
        if (isComplete) break;
        cancel = startTimeout();
      }
      cancel();
      messages.stop();
      if (!isComplete) throw new Error("the records were not delivered in time");
    }
    if (this.#isStopped) return;
    for (const record of records)
      if (record.bytes === undefined) this.#handlers.onDeleted(record);
      else this.#handlers.onChange(record);
    this.#reported = head;
    this.#isLive = true;
    this.#handlers.onCaughtUp(head);
  }

  async #follow(): Promise<void> {
    const link = this.#link;
    if (!link.isUp) return this.#pause.wait(pollMs);
    const seq = this.#reported + 1;
    // From the leader: another replica may not have the change yet.
    const next = await link.jsm.streams.getMessage(streamOf(link, this.#collection), nextOf(seq, `${prefixOf(link, this.#collection)}.>`));
    if (this.#isStopped) return;
    if (next === null) {
      if (this.#announced <= this.#reported) await this.#pause.wait(pollMs);
      // The announced revision has been removed, and nothing newer exists.
      else this.#announced = this.#reported;
    } else if (next.seq > this.#reported) this.#report(versionOf(next));
  }

  #report(change: RecordVersion): void {
    this.#reported = change.revision;
    this.#handlers.onChange(change);
    this.#settle(change.revision);
  }

  #settle(revision: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.revision > revision) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #announce(revision: number): void {
    this.#announced = Math.max(this.#announced, revision);
    this.#pause.interrupt();
  }
}

function versionOf({
  seq,
  header,
  data,
  time,
}: {
  readonly seq: number;
  readonly header: MsgHdrs | undefined;
  readonly data: Uint8Array;
  readonly time: Date;
}): RecordVersion {
  const isDeleted = header?.get(deletedHeader) === "DEL";
  return { id: decodeURIComponent(header?.get(idHeader) ?? ""), revision: seq, at: time.getTime(), bytes: isDeleted ? undefined : data };
}
