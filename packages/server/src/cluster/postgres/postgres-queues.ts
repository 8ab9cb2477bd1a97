// Queues in a PostgreSQL table. A message is taken by an update that sets its lease, with SKIP LOCKED, and deleted when it is settled.
// `due` and `seq` are its place in the queue and never change; `available` is when it may be taken next: after a delay or a lease.
import type { Consumption, Log, QueueContent, QueueDepth, QueuePlace, QueueReceiver, Queues } from "@sluice/engine";
import { isClusterError } from "@sluice/engine";
import { InterruptiblePause } from "../interruptible-pause.ts";
import { systemClock } from "../../host/clock.ts";
import { Grouped } from "../grouped.ts";
import { settledOnce, Unsettled } from "../unsettled.ts";
import type { PostgresLink, Row } from "./postgres-link.ts";

const pollMs = 1_000;
const maxBatch = 64;
/** NOTIFY takes a lock of the whole database when it commits: a node sends at most one per queue in this time. */
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
}

interface Put {
  readonly queue: string;
  readonly message: QueueContent;
  readonly place: QueuePlace;
}

export class PostgresQueues implements Queues {
  readonly #link: PostgresLink;
  readonly #parts: PostgresQueueParts;
  readonly #puts: Grouped<Put>;
  readonly #consumptions = new Map<string, Set<PostgresConsumption>>();
  readonly #announced = new Set<string>();

  constructor(link: PostgresLink, parts: PostgresQueueParts) {
    this.#link = link;
    this.#parts = parts;
    this.#puts = new Grouped((puts, since) => this.#insert(puts, since));
    link.onNotification((payload) => {
      if (payload.startsWith("queue ")) this.#wake(decodeURIComponent(payload.slice("queue ".length)));
    });
  }

  async put(queue: string, message: QueueContent, place: QueuePlace): Promise<void> {
    await this.#puts.add({ queue, message, place });
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
    // An earlier attempt may have been stored although its answer was lost.
    await this.#link.run(
      `insert into ${this.#link.name}_queue (id, queue, key, due, available, kind, envelope, body)
       select id, queue, key, clock_timestamp() + delay * interval '1 millisecond', clock_timestamp() + delay * interval '1 millisecond', kind, envelope, body
       from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::text[], $7::bytea[])
         with ordinality as put (id, queue, key, delay, kind, envelope, body, position)
       order by position on conflict (id) do nothing`,
      [
        column(({ place }) => place.id),
        column(({ queue }) => queue),
        column(({ place }) => place.key ?? null),
        column(({ place }) => Math.max(0, place.delayMs)),
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
      // Consumers poll as well.
      void this.#link.once("select pg_notify($1, $2)", [this.#link.name, `queue ${encodeURIComponent(queue)}`]).catch(() => undefined);
    });
  }
}

class PostgresConsumption implements Consumption {
  readonly #link: PostgresLink;
  readonly #parts: PostgresQueueParts;
  readonly #queue: string;
  readonly #receiver: QueueReceiver;
  readonly #ended: () => void;
  readonly #held = new Unsettled<string>();
  readonly #done: Grouped<string>;
  #isStopped = false;
  #isPending = false;
  #cancelRenewal: () => void = () => undefined;
  readonly #pause = new InterruptiblePause();

  constructor(link: PostgresLink, parts: PostgresQueueParts, queue: string, receiver: QueueReceiver, ended: () => void) {
    this.#link = link;
    this.#parts = parts;
    this.#queue = queue;
    this.#receiver = receiver;
    this.#ended = ended;
    this.#done = new Grouped((seqs) => link.run(`delete from ${link.name}_queue where seq = any($1::bigint[])`, [seqs]));
    void this.#run();
    this.#renewLater();
  }

  refresh(): void {
    this.#isPending = true;
    this.#pause.end();
  }

  /** The statement that takes messages orders keys across nodes. */
  async keysSettled(): Promise<void> {
    // Nothing to wait for.
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.refresh();
    await this.#held.none();
    this.#cancelRenewal();
    this.#ended();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped && !this.#link.isClosed()) {
      this.#isPending = false;
      const room = Math.min(maxBatch, this.#receiver.concurrency() - this.#held.size);
      try {
        const taken = room > 0 ? await this.#take(room) : [];
        // The reply may have waited in the socket of a process that was suspended.
        if (this.#isStopped || this.#receiver.concurrency() > 0) for (const row of taken) this.#deliver(row);
        if (room > 0 && taken.length === room) continue;
      } catch {
        // Tried again after a pause: the link reports lost connections.
      }
      if (!this.#isPending) await this.#pause.wait(pollMs);
    }
  }

  /** The first available messages; of each key only its first. Statements that run at the same time skip each other's messages. */
  async #take(limit: number): Promise<readonly Row[]> {
    const table = `${this.#link.name}_queue`;
    const rows = await this.#link.once(
      `update ${table} set taken_by = $2, attempts = attempts + 1, available = clock_timestamp() + $4 * interval '1 millisecond'
       where seq in (select seq from ${table} message where queue = $1 and due <= now() and available <= now()
         and (key is null or not exists (select from ${table} earlier
              where earlier.queue = $1 and earlier.key = message.key and (earlier.due, earlier.seq) < (message.due, message.seq)))
         order by due, seq limit $3 for update skip locked)
       returning seq, id, key, attempts, kind, envelope, body, due`,
      [this.#queue, this.#parts.boot, limit, this.#parts.leaseMs],
    );
    return [...rows].sort((a, b) => Number(a["due"]) - Number(b["due"]) || Number(a["seq"]) - Number(b["seq"]));
  }

  #deliver(row: Row): void {
    const seq = String(row["seq"]);
    const attempt = Number(row["attempts"]);
    const key = row["key"] === null ? undefined : String(row["key"]);
    this.#held.add(seq);
    const settling = settledOnce({
      done: () => void this.#settle(seq, () => this.#done.add(seq)),
      retry: (delayMs: number) => void this.#settle(seq, () => this.#release(seq, attempt, attempt, delayMs)),
      giveBack: () => void this.#settle(seq, () => this.#release(seq, attempt, attempt - 1, 0)),
    });
    if (this.#isStopped) return settling.giveBack();
    const message = { kind: String(row["kind"]), envelope: String(row["envelope"]), body: new Uint8Array(row["body"] as Buffer) };
    this.#receiver.deliver({ id: String(row["id"]), key, message, attempt, ...settling });
  }

  /** Not if another node has taken it since. */
  async #release(seq: string, attempt: number, attempts: number, delayMs: number): Promise<void> {
    await this.#link.run(
      `update ${this.#link.name}_queue set taken_by = null, attempts = $4, available = clock_timestamp() + $5 * interval '1 millisecond'
       where seq = $1 and taken_by = $2 and attempts = $3`,
      [seq, this.#parts.boot, attempt, attempts, Math.max(0, delayMs)],
    );
    if (delayMs > 0 && delayMs < pollMs) systemClock.after(delayMs, () => this.refresh());
  }

  /** Repeated until it succeeds, while the lease is renewed. */
  async #settle(seq: string, write: () => Promise<void>): Promise<void> {
    for (let isSettled = false; !isSettled;)
      try {
        await write();
        isSettled = true;
      } catch (error) {
        isSettled = this.#link.isClosed() || !isClusterError(error);
        if (isSettled && !this.#link.isClosed())
          this.#parts.log.write("ERROR", "sluice.queue", `Queue '${this.#queue}' could not settle a message: ${(error as Error).message}`);
      }
    this.#held.delete(seq);
    this.refresh();
  }

  #renewLater(): void {
    this.#cancelRenewal = systemClock.after(this.#parts.leaseMs / 3, () => {
      const next = (): void => {
        // A timer would keep a process alive whose start failed.
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
