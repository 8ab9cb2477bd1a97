// Records in PostgreSQL. The row of a collection in the table of heads is locked by every write, so revisions have no gaps and become visible
// in order; comparing it is the compare-and-set for the whole collection.
import { randomUUID } from "node:crypto";
import { ClusterError, type Collection, type Records, type RecordVersion, type Revision, type WatchedCollection } from "@sluice/engine";
import { InterruptiblePause } from "../interruptible-pause.ts";
import { persist } from "../persist.ts";
import type { PostgresLink, Row } from "./postgres-link.ts";

const pollMs = 1_000;
const batch = 500;
/** How long a deletion stays in its collection. */
const deletionMs = 600_000;

export class PostgresRecords implements Records {
  readonly #link: PostgresLink;
  readonly #versions: number;
  readonly #watches = new Set<PostgresWatch>();

  constructor(link: PostgresLink, versions: number) {
    this.#link = link;
    this.#versions = versions;
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
    const written = await persist(link, async () => {
      // An earlier attempt may have been stored although its answer was lost.
      const known = attempts++ === 0 ? [] : await link.once(`select revision, at from ${name}_record where change = $1`, [change]);
      if (known[0] !== undefined) return known[0];
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
          this.#kept(collection) - 1,
          name,
          ...(expect === undefined ? [] : [expect.head]),
        ],
      );
      if (row === undefined) throw new ClusterError("conflict", `'${collection}' changed since revision ${expect?.head ?? 0}`);
      return row;
    });
    const revision = Number(written["revision"]);
    await Promise.all([...this.#watches].map((watch) => watch.passedOn(collection, revision)));
    return { revision, at: Number(written["at"]) };
  }

  watch(collection: WatchedCollection, onChange: (change: RecordVersion) => void, onCaughtUp: (head: number) => void): { stop(): void } {
    const watch = new PostgresWatch(this.#link, collection, onChange, onCaughtUp);
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
      this.#kept(collection),
    ]);
    return rows.map(versionOf);
  }

  #kept(collection: Collection): number {
    return collection === "config" ? this.#versions : 1;
  }
}

/** Removes deletions of collections without history. A node that was disconnected for longer learns of one when it reads the record. */
export async function purgeDeletions(link: PostgresLink): Promise<void> {
  await link.once(
    `delete from ${link.name}_record where collection like 'dead-letter%' and bytes is null and at < (extract(epoch from now()) * 1000)::bigint - ${deletionMs}`,
  );
}

class PostgresWatch {
  readonly #link: PostgresLink;
  readonly #collection: Collection;
  readonly #onChange: (change: RecordVersion) => void;
  readonly #onCaughtUp: (head: number) => void;
  readonly #waiting = new Set<{ readonly revision: number; readonly resolve: () => void }>();
  #seen: number | undefined = undefined;
  #isStopped = false;
  #isPending = false;
  readonly #pause = new InterruptiblePause();

  constructor(link: PostgresLink, collection: Collection, onChange: (change: RecordVersion) => void, onCaughtUp: (head: number) => void) {
    this.#link = link;
    this.#collection = collection;
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
        const found = this.#seen === undefined ? await this.#load() : await this.#follow(this.#seen);
        if (found === batch || this.#isPending) continue;
      } catch {
        // Tried again after a pause: the link reports lost connections.
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

  /** Resolves when this revision has been passed on. */
  passedOn(collection: Collection, revision: number): Promise<void> {
    if (collection !== this.#collection || this.#isStopped || (this.#seen ?? 0) >= revision) return Promise.resolve();
    this.#wake();
    return new Promise((resolve) => void this.#waiting.add({ revision, resolve }));
  }

  async #load(): Promise<number> {
    const { name } = this.#link;
    const [head] = await this.#link.once(`select revision from ${name}_head where collection = $1`, [this.#collection]);
    const revision = Number(head?.["revision"] ?? 0);
    const rows = await this.#link.once(
      `select * from (select distinct on (id) * from ${name}_record where collection = $1 and revision <= $2 order by id, revision desc) newest
       where bytes is not null order by revision`,
      [this.#collection, revision],
    );
    if (this.#isStopped) return 0;
    for (const row of rows) this.#onChange(versionOf(row));
    this.#seen = revision;
    this.#onCaughtUp(revision);
    return 0;
  }

  async #follow(seen: number): Promise<number> {
    const { name } = this.#link;
    const rows = await this.#link.once(`select * from ${name}_record where collection = $1 and revision > $2 order by revision limit ${batch}`, [
      this.#collection,
      seen,
    ]);
    for (const row of rows) {
      if (this.#isStopped) break;
      const version = versionOf(row);
      this.#seen = version.revision;
      this.#onChange(version);
      this.#settle(version.revision);
    }
    return rows.length;
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
    this.#pause.end();
  }
}

const versionOf = (row: Row): RecordVersion => ({
  id: row["id"] as string,
  revision: Number(row["revision"]),
  at: Number(row["at"]),
  bytes: row["bytes"] === null ? undefined : new Uint8Array(row["bytes"] as Buffer),
});
