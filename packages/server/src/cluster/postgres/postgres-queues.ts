// Queues in a PostgreSQL table. A consumer takes messages with an update that sets their lease, with SKIP LOCKED, and deletes them after processing.
// `due` and `seq` define the position of a message in the queue and never change; `available` is when it may be taken next: after a delay or when a lease
// expires.
import type { Consumption, Log, QueueContent, QueueDepth, PutOptions, QueueReceiver, Queues } from "@sluice/engine";
import { isClusterError } from "@sluice/engine";
import { InterruptiblePause } from "../interruptible-pause.ts";
import { systemClock } from "../../host/clock.ts";
import { StatementBatcher } from "../statement-batcher.ts";
import { settleOnce, Unsettled } from "../unsettled.ts";
import { largeBytes, largeMs, type PostgresLink, type Row } from "./postgres-link.ts";
import { PostgresQueueSpace } from "./postgres-queue-space.ts";

const pollMs = 1_000;
const maxBatch = 64;
/** NOTIFY takes a database-wide lock at commit, so a node sends at most one per queue in this interval. */
const notifyMs = 10;

export const queueTable = (name: string): string => `
    create table if not exists ${name}_queue (seq bigserial primary key, id text not null unique, queue text not null, key text,
      due timestamptz not null, available timestamptz not null, attempts integer not null default 0, taken_by text,
      kind text not null, envelope text not null, body bytea not null);
    create index if not exists ${name}_queue_place on ${name}_queue (queue, due, seq);
    create index if not exists ${name}_queue_key on ${name}_queue (queue, key, due, seq) where key is not null;`;

interface PostgresQueueParts {
  readonly boot: string;
  readonly log: Log;
  readonly leaseMs: number;
  readonly queueBytes: number;
}

interface Put {
  readonly queue: string;
  readonly message: QueueContent;
  readonly options: PutOptions;
}

export class PostgresQueues implements Queues {
  readonly #link: PostgresLink;
  readonly #parts: PostgresQueueParts;
  readonly #puts: StatementBatcher<Put>;
  readonly #space: PostgresQueueSpace;
  readonly #consumptions = new Map<string, Set<PostgresConsumption>>();
  readonly #announced = new Set<string>();

  constructor(link: PostgresLink, parts: PostgresQueueParts) {
    this.#link = link;
    this.#parts = parts;
    this.#space = new PostgresQueueSpace(link, parts.queueBytes);
    this.#puts = new StatementBatcher((puts, since) => this.#insert(puts, since));
    link.onNotification((payload) => {
      if (payload.startsWith("queue ")) this.#wake(payload.slice("queue ".length));
    });
  }

  async put(queue: string, message: QueueContent, options: PutOptions): Promise<void> {
    await this.#space.reserve(message.body.length + Buffer.byteLength(message.envelope));
    await this.#puts.add({ queue, message, options });
    this.#wake(queue);
    this.#announce(queue);
  }

  async depths(): Promise<readonly QueueDepth[]> {
    const { name } = this.#link;
    const rows = await this.#link.once(
      `select queue, count(*) as depth, sum(octet_length(body) + octet_length(envelope)) as bytes from ${name}_queue where due <= now() group by queue`,
    );
    return rows.map((row) => ({ queue: row["queue"] as string, depth: Number(row["depth"]), bytes: Number(row["bytes"]) }));
  }

  consume(queue: string, receiver: QueueReceiver): Consumption {
    const consumption = new PostgresConsumption(this.#link, this.#parts, queue, receiver, () => this.#consumptions.get(queue)?.delete(consumption));
    const all = this.#consumptions.get(queue) ?? new Set();
    this.#consumptions.set(queue, all.add(consumption));
    return consumption;
  }

  async #insert(puts: readonly Put[], since: number): Promise<void> {
    const column = <T>(of: (put: Put) => T): T[] => puts.map(of);
    // An earlier attempt may have been stored although its response was lost.
    await this.#link.run(
      `insert into ${this.#link.name}_queue (id, queue, key, due, available, kind, envelope, body)
       select id, queue, key, clock_timestamp() + delay * interval '1 millisecond', clock_timestamp() + delay * interval '1 millisecond', kind, envelope, body
       from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::text[], $7::bytea[])
         with ordinality as put (id, queue, key, delay, kind, envelope, body, position)
       order by position on conflict (id) do nothing`,
      [
        column(({ options }) => options.id),
        column(({ queue }) => queue),
        column(({ options }) => options.key ?? null),
        column(({ options }) => Math.max(0, options.delayMs)),
        column(({ message }) => message.kind),
        column(({ message }) => message.envelope),
        column(({ message }) => Buffer.from(message.body)),
      ],
      since,
    );
  }

  #wake(queue: string): void {
    for (const consumption of this.#consumptions.get(queue) ?? []) consumption.refresh();
  }

  #announce(queue: string): void {
    if (this.#announced.has(queue)) return;
    this.#announced.add(queue);
    systemClock.after(notifyMs, () => {
      this.#announced.delete(queue);
      // A lost notification only delays the messages, because consumers poll as well.
      void this.#link.once("select pg_notify($1, $2)", [this.#link.name, `queue ${queue}`]).catch(() => undefined);
    });
  }
}

interface Release {
  readonly holder: string;
  readonly attempt: number;
  /** The number of attempts to store. For a requeued message, the last attempt does not count. */
  readonly attempts: number;
  readonly delayMs: number;
}

let consumptions = 0;

class PostgresConsumption implements Consumption {
  readonly #link: PostgresLink;
  readonly #parts: PostgresQueueParts;
  readonly #queue: string;
  readonly #receiver: QueueReceiver;
  readonly #ended: () => void;
  readonly #number = ++consumptions;
  readonly #held = new Unsettled<string>();
  readonly #done: StatementBatcher<string>;
  #isStopped = false;
  #isPending = false;
  #hasFailed = false;
  #cancelRenewal: () => void = () => undefined;
  readonly #pause = new InterruptiblePause();

  constructor(link: PostgresLink, parts: PostgresQueueParts, queue: string, receiver: QueueReceiver, ended: () => void) {
    this.#link = link;
    this.#parts = parts;
    this.#queue = queue;
    this.#receiver = receiver;
    this.#ended = ended;
    this.#done = new StatementBatcher((seqs) => link.run(`delete from ${link.name}_queue where seq = any($1::bigint[])`, [seqs]));
    void this.#run();
    // Messages of an exclusive consumer need no lease renewal: no other node takes them.
    if (receiver.isExclusive !== true) this.#renewLater();
  }

  refresh(): void {
    this.#isPending = true;
    this.#pause.interrupt();
  }

  /** Resolves immediately: `#take` preserves the order of messages with the same key across nodes. */
  async keysSettled(): Promise<void> {
    // Nothing to wait for.
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.refresh();
    await this.#held.whenEmpty();
    this.#cancelRenewal();
    this.#ended();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped && !this.#link.isClosed()) {
      this.#isPending = false;
      const capacity = Math.min(maxBatch, this.#receiver.concurrency() - this.#held.size);
      try {
        const holder = this.#holder();
        const rows = capacity > 0 ? await this.#take(capacity, holder) : [];
        // The reply may have waited in the socket of a process that was suspended.
        if (this.#isStopped || this.#receiver.concurrency() > 0) for (const row of rows) this.#deliver(row, holder);
        this.#hasFailed = false;
        if (capacity > 0 && (rows.length === capacity || sizeOf(rows) >= largeBytes)) continue;
      } catch (error) {
        if (!this.#hasFailed && !this.#link.isClosed())
          this.#parts.log.write("WARN", "sluice.queue", `Cannot read messages of queue '${this.#queue}': ${(error as Error).message}; retrying`);
        this.#hasFailed = true;
      }
      if (!this.#isPending) await this.#pause.wait(pollMs);
    }
  }

  /**
   * The first available messages, about as many as can be transferred within the time limit; only the first one of each key. Concurrent statements skip
   * each other's messages.
   */
  async #take(limit: number, holder: string): Promise<readonly Row[]> {
    const table = `${this.#link.name}_queue`;
    const rows = await this.#link.once(
      `with free as (select seq, due, octet_length(body) as size from ${table} message
         where queue = $1 and due <= now() and case when $6 then taken_by is distinct from $2 else available <= now() end
         and (key is null or not exists (select from ${table} earlier
              where earlier.queue = $1 and earlier.key = message.key and (earlier.due, earlier.seq) < (message.due, message.seq)))
         order by due, seq limit $3 for update skip locked)
       update ${table} set taken_by = $2, attempts = attempts + 1, available = clock_timestamp() + $4 * interval '1 millisecond'
       where seq = any(array(select seq from (select seq, sum(size) over (order by due, seq) - size as before from free) sized where before < $5))
       returning seq, id, key, attempts, kind, envelope, body, due`,
      [this.#queue, holder, limit, this.#parts.leaseMs, largeBytes, this.#receiver.isExclusive === true],
      largeMs,
    );
    return [...rows].sort((a, b) => Number(a["due"]) - Number(b["due"]) || Number(a["seq"]) - Number(b["seq"]));
  }

  /** Identifies the holder of a message. A node that begins to consume a queue exclusively also takes the messages that it held before. */
  #holder(): string {
    const { boot } = this.#parts;
    return this.#receiver.isExclusive === true ? `${boot}/${this.#number}/${this.#receiver.keyToken() ?? 0}` : boot;
  }

  #deliver(row: Row, holder: string): void {
    const seq = String(row["seq"]);
    const attempt = Number(row["attempts"]);
    const key = row["key"] === null ? undefined : String(row["key"]);
    this.#held.add(seq);
    const settling = settleOnce({
      done: () => this.#settle(seq, () => this.#done.add(seq)),
      retry: (delayMs: number) => void this.#settle(seq, () => this.#release(seq, { holder, attempt, attempts: attempt, delayMs })),
      requeue: () => void this.#settle(seq, () => this.#release(seq, { holder, attempt, attempts: attempt - 1, delayMs: 0 })),
    });
    if (this.#isStopped) return settling.requeue();
    const message = { kind: String(row["kind"]), envelope: String(row["envelope"]), body: new Uint8Array(row["body"] as Buffer) };
    this.#receiver.deliver({ id: String(row["id"]), key, message, attempt, ...settling });
  }

  /** Has no effect if another node has taken the message since. */
  async #release(seq: string, { holder, attempt, attempts, delayMs }: Release): Promise<void> {
    await this.#link.run(
      `update ${this.#link.name}_queue set taken_by = null, attempts = $4, available = clock_timestamp() + $5 * interval '1 millisecond'
       where seq = $1 and taken_by = $2 and attempts = $3`,
      [seq, holder, attempt, attempts, Math.max(0, delayMs)],
    );
    if (delayMs > 0 && delayMs < pollMs) systemClock.after(delayMs, () => this.refresh());
  }

  /** Retries cluster errors until the write succeeds or the link is closed; the lease is renewed meanwhile. Other errors are logged and not retried. */
  async #settle(seq: string, write: () => Promise<void>): Promise<void> {
    for (let isSettled = false; !isSettled;)
      try {
        await write();
        isSettled = true;
      } catch (error) {
        isSettled = this.#link.isClosed() || !isClusterError(error);
        if (isSettled && !this.#link.isClosed())
          this.#parts.log.write("ERROR", "sluice.queue", `Cannot settle a message of queue '${this.#queue}': ${(error as Error).message}`);
      }
    this.#held.delete(seq);
    this.refresh();
  }

  #renewLater(): void {
    this.#cancelRenewal = systemClock.after(this.#parts.leaseMs / 3, () => {
      const next = (): void => {
        // A pending timer would keep the process alive after a failed start.
        if (!this.#link.isClosed() && (!this.#isStopped || this.#held.size > 0)) this.#renewLater();
      };
      if (this.#held.size === 0) return next();
      const { boot, leaseMs } = this.#parts;
      void this.#link
        .once(
          `update ${this.#link.name}_queue set available = clock_timestamp() + $3 * interval '1 millisecond' where seq = any($1::bigint[]) and taken_by = $2`,
          [[...this.#held], boot, leaseMs],
        )
        .then(next, next);
    });
  }
}

const sizeOf = (rows: readonly Row[]): number => rows.reduce((total, row) => total + (row["body"] as Buffer).length, 0);
