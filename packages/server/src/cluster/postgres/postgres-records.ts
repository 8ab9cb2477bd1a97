// Records in PostgreSQL. Every write locks the row of its collection in the table of heads, so revisions have no gaps and become visible in order.
// A write that expects a head compares it with this row, which is a compare-and-set for the whole collection.
import { randomUUID } from "node:crypto";
import { ClusterError, type Collection, type Log, type Records, type RecordVersion, type Revision, type WatchedCollection } from "@sluice/engine";
import { InterruptiblePause } from "../interruptible-pause.ts";
import { retryOperation } from "../retry-operation.ts";
import { largeBytes, largeMs, type PostgresLink, type Row } from "./postgres-link.ts";

const pollMs = 1_000;
const pageSize = 500;
/** How long the records of deletions, and of nodes that do not return, are stored. */
const retentionMs = 600_000;

export class PostgresRecords implements Records {
  readonly #link: PostgresLink;
  readonly #versions: number;
  readonly #log: Log;
  readonly #watches = new Set<PostgresWatch>();

  constructor(link: PostgresLink, versions: number, log: Log) {
    this.#link = link;
    this.#versions = versions;
    this.#log = log;
  }

  async read(collection: Collection, id: string): Promise<RecordVersion | undefined> {
    const [newest] = await this.versions(collection, id);
    return newest?.bytes === undefined ? undefined : newest;
  }

  async write(collection: Collection, id: string, bytes: Uint8Array | undefined, expect?: { readonly head: number }): Promise<Revision> {
    const link = this.#link;
    const { name } = link;
    const change = randomUUID();
    let attempts = 0;
    // An earlier attempt may have been stored although its response was lost.
    const earlier = async (): Promise<Row | undefined> =>
      attempts === 1 ? undefined : (await link.once(`select revision, at from ${name}_record where change = $1`, [change]))[0];
    const written = await retryOperation(link, async () => {
      attempts++;
      const earlierRow = await earlier();
      if (earlierRow !== undefined) return earlierRow;
      const [row] = await link.once(
        `with head as (update ${name}_head set revision = revision + 1 where collection = $1 ${expect === undefined ? "" : "and revision = $7"} returning revision),
              record as (insert into ${name}_record (collection, revision, id, at, bytes, change)
                         select $1, revision, $2, (extract(epoch from clock_timestamp()) * 1000)::bigint, $3, $4 from head returning revision, at),
              old as (delete from ${name}_record where collection = $1 and id = $2 and exists (select 1 from head) and revision in
                      (select revision from ${name}_record where collection = $1 and id = $2 order by revision desc offset $5))
         select revision, at, pg_notify($6, 'record ' || $1 || ' ' || revision) from record`,
        [
          collection,
          id,
          bytes === undefined ? null : Buffer.from(bytes),
          change,
          this.#maxVersions(collection) - 1,
          name,
          ...(expect === undefined ? [] : [expect.head]),
        ],
      );
      // The statement may have waited for the commit of an earlier attempt.
      const stored = row ?? (await earlier());
      if (stored === undefined) throw new ClusterError("conflict", `'${collection}' changed since revision ${expect?.head ?? 0}`);
      return stored;
    });
    const revision = Number(written["revision"]);
    await Promise.all([...this.#watches].map((watch) => watch.whenReported(collection, revision)));
    return { revision, at: Number(written["at"]) };
  }

  watch(collection: WatchedCollection, onChange: (change: RecordVersion) => void, onCaughtUp: (head: number) => void): { stop(): void } {
    const watch = new PostgresWatch(this.#link, collection, { log: this.#log, onChange, onCaughtUp });
    this.#watches.add(watch);
    void watch.run();
    return {
      stop: () => {
        this.#watches.delete(watch);
        watch.stop();
      },
    };
  }

  async versions(collection: Collection, id: string): Promise<readonly RecordVersion[]> {
    const { name } = this.#link;
    const rows = await this.#link.run(`select * from ${name}_record where collection = $1 and id = $2 order by revision desc limit $3`, [
      collection,
      id,
      this.#maxVersions(collection),
    ]);
    return rows.map(versionOf);
  }

  #maxVersions(collection: Collection): number {
    return collection === "config" ? this.#versions : 1;
  }
}

/**
 * Removes the deletion markers of collections without history, and the records of dead nodes. A node that was disconnected for longer detects a deletion
 * when it reads the record.
 */
export async function purgeRecords(link: PostgresLink): Promise<void> {
  await link.once(
    `delete from ${link.name}_record where (collection = 'nodes' or (collection <> 'config' and bytes is null))
     and at < (extract(epoch from now()) * 1000)::bigint - ${retentionMs}`,
  );
}

interface WatchParts {
  readonly log: Log;
  onChange(change: RecordVersion): void;
  onCaughtUp(head: number): void;
}

class PostgresWatch {
  readonly #link: PostgresLink;
  readonly #collection: Collection;
  readonly #log: Log;
  readonly #onChange: (change: RecordVersion) => void;
  readonly #onCaughtUp: (head: number) => void;
  readonly #waiting = new Set<{ readonly revision: number; readonly resolve: () => void }>();
  /** The revision up to which existing records are loaded. */
  #head: number | undefined = undefined;
  #loaded = 0;
  /** The last revision that was reported; undefined until the existing records are loaded. */
  #reported: number | undefined = undefined;
  #isStopped = false;
  #isPending = false;
  #hasFailed = false;
  readonly #pause = new InterruptiblePause();

  constructor(link: PostgresLink, collection: Collection, { log, onChange, onCaughtUp }: WatchParts) {
    this.#link = link;
    this.#collection = collection;
    this.#log = log;
    this.#onChange = onChange;
    this.#onCaughtUp = onCaughtUp;
  }

  async run(): Promise<void> {
    const end = this.#link.onNotification((payload) => {
      if (payload.startsWith(`record ${this.#collection} `)) this.#wake();
    });
    while (!this.#isStopped) {
      this.#isPending = false;
      try {
        const count = this.#reported === undefined ? await this.#load() : await this.#follow(this.#reported);
        this.#hasFailed = false;
        if (count > 0 || this.#isPending) continue;
      } catch (error) {
        if (!this.#hasFailed && !this.#link.isClosed())
          this.#log.write(
            "WARN",
            "sluice.cluster",
            `Cannot read collection '${this.#collection}' from the cluster store: ${(error as Error).message}; retrying`,
          );
        this.#hasFailed = true;
      }
      if (!this.#isPending) await this.#pause.wait(pollMs);
    }
    end();
    this.#settle(Infinity);
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** Resolves when this revision has been reported. */
  whenReported(collection: Collection, revision: number): Promise<void> {
    if (collection !== this.#collection || this.#isStopped || (this.#reported ?? 0) >= revision) return Promise.resolve();
    this.#wake();
    return new Promise((resolve) => void this.#waiting.add({ revision, resolve }));
  }

  /** Reports the next page of existing records; returns 0 after the last page. Changes made meanwhile follow. */
  async #load(): Promise<number> {
    const { name } = this.#link;
    const [row] = this.#head === undefined ? await this.#link.once(`select revision from ${name}_head where collection = $1`, [this.#collection]) : [];
    const head = (this.#head ??= Number(row?.["revision"] ?? 0));
    const rows = await this.#page(
      `select * from (select distinct on (id) * from ${name}_record where collection = $1 and revision <= $2 order by id, revision desc) newest
       where bytes is not null and revision > $3 order by revision limit ${pageSize}`,
      [this.#collection, head, this.#loaded],
    );
    if (this.#isStopped) return 0;
    for (const version of rows) this.#onChange(version);
    this.#loaded = rows.at(-1)?.revision ?? head;
    if (rows.length > 0) return rows.length;
    this.#reported = head;
    this.#onCaughtUp(head);
    return 0;
  }

  async #follow(reported: number): Promise<number> {
    const { name } = this.#link;
    const rows = await this.#page(`select * from ${name}_record where collection = $1 and revision > $2 order by revision limit ${pageSize}`, [
      this.#collection,
      reported,
    ]);
    for (const version of rows) {
      if (this.#isStopped) break;
      this.#reported = version.revision;
      this.#onChange(version);
      this.#settle(version.revision);
    }
    return rows.length;
  }

  /** The first of these rows, about as many as can be transferred within the time limit. */
  async #page(select: string, values: readonly unknown[]): Promise<readonly RecordVersion[]> {
    const size = "coalesce(octet_length(bytes), 0)";
    const rows = await this.#link.once(
      `select * from (select *, sum(${size}) over (order by revision) - ${size} as before from (${select}) page) sized where before < ${largeBytes} order by revision`,
      values,
      largeMs,
    );
    return rows.map(versionOf);
  }

  #settle(revision: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.revision > revision) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #wake(): void {
    this.#isPending = true;
    this.#pause.interrupt();
  }
}

const versionOf = (row: Row): RecordVersion => ({
  id: row["id"] as string,
  revision: Number(row["revision"]),
  at: Number(row["at"]),
  bytes: row["bytes"] === null ? undefined : new Uint8Array(row["bytes"] as Buffer),
});
