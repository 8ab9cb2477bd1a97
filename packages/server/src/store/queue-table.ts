// The table of queued messages: written in groups, read in pages, limited in total bytes across all queues. Which consumer holds a message
// is tracked in memory by the consumers.
import type { DeadLetterDetails, Position, QueuedMessage, QueueStore, StoredMessage } from "@sluice/connectors";
import { storedSize } from "@sluice/connectors";
import { FlowError, type Clock, type Ids } from "@sluice/engine";
import type { DeadLetterTable } from "./dead-letter-table.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Database, Row, Statement } from "./sqlite.ts";
import { monotonicClock } from "./monotonic-clock.ts";
import { storeFailure } from "./store-failure.ts";
import type { Operation } from "./write-thread.ts";

export interface QueueTableParts {
  readonly database: Database;
  readonly commit: GroupCommit;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly limits: { readonly queueBytes: number; readonly maxMessageBytes: number };
  readonly deadLetters: DeadLetterTable;
  /** True after a crash of the process: any stored message may have caused it. */
  readonly suspectAll: boolean;
}

interface Tally {
  depth: number;
  bytes: number;
}

/** When there are counters for this many queues, those of empty queues are removed. */
const tallyCleanupThreshold = 1_000;

const insert = "INSERT INTO queue_message (seq, id, queue, key, due, enqueued, attempts, size, kind, envelope, body) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)";
const remove = "DELETE FROM queue_message WHERE seq = ?";

export class QueueTable implements QueueStore {
  readonly maxMessageBytes: number;
  readonly now: () => number;
  readonly #parts: QueueTableParts;
  readonly #tallies = new Map<string, Tally>();
  readonly #statements: Readonly<Record<"page" | "first" | "next" | "read" | "held", Statement>>;
  readonly #suspectsEnd: number;
  #lastSeq: number;
  #bytes = 0;

  constructor(parts: QueueTableParts) {
    this.#parts = parts;
    this.maxMessageBytes = parts.limits.maxMessageBytes;
    const { database } = parts;
    const columns = "seq, id, key, due, attempts, size";
    this.#statements = {
      first: database.prepare(`SELECT ${columns} FROM queue_message WHERE queue = ? AND due <= ? ORDER BY due, seq LIMIT ?`),
      page: database.prepare(`SELECT ${columns} FROM queue_message WHERE queue = ? AND (due, seq) > (?, ?) AND due <= ? ORDER BY due, seq LIMIT ?`),
      next: database.prepare("SELECT due FROM queue_message WHERE queue = ? AND (due, seq) > (?, ?) ORDER BY due, seq LIMIT 1"),
      read: database.prepare("SELECT kind, envelope, body FROM queue_message WHERE seq = ?"),
      held: database.prepare("SELECT key, seq FROM queue_message WHERE queue = ? AND key IS NOT NULL AND attempts > 0 ORDER BY seq DESC"),
    };
    this.#lastSeq = Number(database.prepare("SELECT max(seq) AS seq FROM queue_message").get()?.["seq"] ?? 0);
    this.now = monotonicClock(parts.clock, Number(database.prepare("SELECT max(enqueued) AS newest FROM queue_message").get()?.["newest"] ?? 0));
    this.#suspectsEnd = parts.suspectAll ? this.#lastSeq : 0;
    for (const row of database.prepare("SELECT queue, count(*) AS depth, sum(size) AS bytes FROM queue_message GROUP BY queue").all()) {
      this.#tallies.set(String(row["queue"]), { depth: Number(row["depth"]), bytes: Number(row["bytes"]) });
      this.#bytes += Number(row["bytes"]);
    }
  }

  put(queue: string, message: StoredMessage, { key, delayMs }: { readonly key: string | undefined; readonly delayMs: number }): Promise<QueuedMessage> {
    const size = storedSize(message);
    const { queueBytes } = this.#parts.limits;
    if (this.#bytes + size > queueBytes)
      return Promise.reject(
        new FlowError(
          "java.lang.IllegalStateException",
          `queue '${queue}' is full: the queues hold ${this.#bytes} of ${queueBytes} bytes (SERVICE_QUEUE_BYTES)`,
          { code: "queue-full", retryable: true },
        ),
      );
    const enqueued = this.now();
    const queued: QueuedMessage = { seq: ++this.#lastSeq, id: this.#parts.ids.next(), key, due: enqueued + Math.max(0, delayMs), attempts: 0, size };
    this.#count(queue, 1, size);
    const values = [queued.seq, queued.id, queue, key ?? null, queued.due, enqueued, size, message.kind, message.envelope, message.body];
    return this.#parts.commit.write({ sql: insert, values, isNewMessage: true }).then(
      () => queued,
      (error: unknown) => {
        this.#count(queue, -1, -size);
        throw storeFailure(error, `queue '${queue}' cannot store the message`);
      },
    );
  }

  page(queue: string, after: Position | undefined, until: number, limit: number): readonly QueuedMessage[] {
    const rows = after === undefined ? this.#statements.first.all(queue, until, limit) : this.#statements.page.all(queue, after.due, after.seq, until, limit);
    return rows.map(queuedOf);
  }

  nextDue(queue: string, after: Position | undefined): number | undefined {
    const due = this.#statements.next.get(queue, after?.due ?? -1, after?.seq ?? -1)?.["due"];
    return due === undefined ? undefined : Number(due);
  }

  read(seq: number): StoredMessage | undefined {
    const row = this.#statements.read.get(seq);
    return row === undefined ? undefined : { kind: row["kind"] as StoredMessage["kind"], envelope: row["envelope"] as string, body: row["body"] as Uint8Array };
  }

  held(queue: string): ReadonlyMap<string, number> {
    return new Map(this.#statements.held.all(queue).map((row) => [String(row["key"]), Number(row["seq"])]));
  }

  isSuspect(seq: number): boolean {
    return seq <= this.#suspectsEnd;
  }

  async begin(seq: number, attempt: number): Promise<void> {
    await this.#change({ sql: "UPDATE queue_message SET attempts = ? WHERE seq = ?", values: [attempt, seq] });
  }

  async remove(queue: string, { seq, size }: QueuedMessage): Promise<void> {
    await this.#change({ sql: remove, values: [seq] });
    this.#count(queue, -1, -size);
  }

  async postpone({ seq }: QueuedMessage, attempts: number, due: number): Promise<void> {
    await this.#change({ sql: "UPDATE queue_message SET attempts = ?, due = ? WHERE seq = ?", values: [attempts, Math.round(due), seq] });
  }

  async deadLetter(queue: string, { seq, size }: QueuedMessage, { route, runId, attempts, failure }: DeadLetterDetails): Promise<void> {
    const message = this.read(seq);
    if (message === undefined) return;
    const letter = this.#parts.deadLetters.prepare(message, { route, runId, attempts, failure, source: `queue:${queue}`, input: undefined });
    await this.#change(letter.operation, { sql: remove, values: [seq] });
    this.#count(queue, -1, -size);
    letter.written();
  }

  async #change(...operations: readonly Operation[]): Promise<void> {
    await this.#parts.commit.write(...operations).catch((error: unknown) => {
      throw storeFailure(error, "the durable store could not be changed");
    });
  }

  depths(): readonly { readonly name: string; readonly depth: number; readonly bytes: number }[] {
    return [...this.#tallies].map(([name, { depth, bytes }]) => ({ name, depth, bytes }));
  }

  #tally(queue: string): Tally {
    let tally = this.#tallies.get(queue);
    if (tally !== undefined) return tally;
    if (this.#tallies.size >= tallyCleanupThreshold) for (const [name, { depth }] of this.#tallies) if (depth === 0) this.#tallies.delete(name);
    this.#tallies.set(queue, (tally = { depth: 0, bytes: 0 }));
    return tally;
  }

  #count(queue: string, messages: number, bytes: number): void {
    const tally = this.#tally(queue);
    tally.depth += messages;
    tally.bytes += bytes;
    this.#bytes += bytes;
  }
}

function queuedOf(row: Row): QueuedMessage {
  return {
    seq: Number(row["seq"]),
    id: String(row["id"]),
    key: row["key"] === null ? undefined : String(row["key"]),
    due: Number(row["due"]),
    attempts: Number(row["attempts"]),
    size: Number(row["size"]),
  };
}
