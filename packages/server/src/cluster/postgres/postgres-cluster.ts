// Opens a cluster whose store is PostgreSQL 13 or newer. LISTEN needs a direct connection or a pooler in session mode.
import { randomUUID } from "node:crypto";
import type { Claims, ClaimSet, Cluster, Collection } from "@sluice/engine";
import { systemClock } from "../../host/clock.ts";
import type { ClusterTarget } from "../cluster-target.ts";
import type { StoreOptions } from "../open-cluster.ts";
import { retryOperation } from "../retry-operation.ts";
import { PostgresLink } from "./postgres-link.ts";
import { channelOf, messageTable, postgresMessaging, purgeMessages } from "./postgres-messaging.ts";
import { PostgresQueues, queueTable } from "./postgres-queues.ts";
import { PostgresRecords, purgeRecords } from "./postgres-records.ts";

const collections: readonly Collection[] = ["config", "nodes", "dead-letters", "dead-letter-messages", "groups", "sagas"];
const purgeEveryMs = 60_000;
const lifetimes: Readonly<Record<ClaimSet, string>> = { slot: "infinity", pin: "infinity", hour: "1 hour", day: "1 day" };

export async function openPostgresCluster(target: ClusterTarget & { readonly store: "postgres" }, options: StoreOptions): Promise<Cluster> {
  const { node, boot, log, versions, leaseMs, queueBytes } = options;
  const link = await PostgresLink.open(target.url, target.name, log, (name) => channelOf(name, node));
  try {
    await createTables(link);
  } catch (error) {
    await link.close();
    throw error;
  }
  let cancel = (): void => undefined;
  const purgeLater = (): void => {
    cancel = systemClock.after(purgeEveryMs, () => {
      void link
        .once(`delete from ${link.name}_claim where expires < now()`)
        .then(() => purgeMessages(link))
        .then(() => purgeRecords(link))
        .then(purgeLater, purgeLater);
    });
  };
  purgeLater();
  const queues = new PostgresQueues(link, { boot, log, leaseMs, queueBytes });
  const messaging = postgresMessaging(link, node);
  return {
    node,
    boot,
    records: new PostgresRecords(link, versions, log),
    claims: postgresClaims(link),
    queues,
    messaging,
    async close() {
      cancel();
      messaging.close();
      await link.close();
    },
  };
}

/** Takes a lock, because nodes may start at the same time, and `if not exists` is not safe for concurrent statements. */
async function createTables(link: PostgresLink): Promise<void> {
  const { name } = link;
  await link.run(`do $$ begin
    perform pg_advisory_xact_lock(hashtext('${name}'));
    create table if not exists ${name}_head (collection text primary key, revision bigint not null);
    create table if not exists ${name}_record (collection text not null, revision bigint not null, id text not null, at bigint not null, bytes bytea,
      change uuid not null, primary key (collection, revision));
    create index if not exists ${name}_record_id on ${name}_record (collection, id, revision);
    create index if not exists ${name}_record_change on ${name}_record (change);
    create sequence if not exists ${name}_token;
    create table if not exists ${name}_claim (set text not null, key text not null, token bigint not null, note bytea not null, attempt uuid not null,
      expires timestamptz not null, primary key (set, key));
    ${messageTable(name)}
    ${queueTable(name)}
    ${collections.map((collection) => `insert into ${name}_head values ('${collection}', 0) on conflict do nothing;`).join("\n    ")}
  end $$`);
}

function postgresClaims(link: PostgresLink): Claims {
  const { name } = link;
  return {
    async claim(set, key, note) {
      const attempt = randomUUID();
      return retryOperation(link, async () => {
        for (;;) {
          const expires = lifetimes[set] === "infinity" ? "'infinity'::timestamptz" : `now() + interval '${lifetimes[set]}'`;
          const [inserted] = await link.once(
            `insert into ${name}_claim as held (set, key, token, note, attempt, expires) values ($1, $2, nextval('${name}_token'), $3, $4, ${expires})
             on conflict (set, key) do update set token = excluded.token, note = excluded.note, attempt = excluded.attempt, expires = excluded.expires
             where held.expires < now() returning token`,
            [set, key, Buffer.from(note), attempt],
          );
          if (inserted !== undefined) return { set, key, won: true, note, token: Number(inserted["token"]) };
          const [owner] = await link.once(`select token, note, attempt from ${name}_claim where set = $1 and key = $2`, [set, key]);
          // Undefined: released in the meantime, so the next attempt may win.
          if (owner !== undefined)
            return { set, key, won: owner["attempt"] === attempt, note: new Uint8Array(owner["note"] as Buffer), token: Number(owner["token"]) };
        }
      });
    },
    async release({ set, key, token }) {
      await link.run(`delete from ${name}_claim where set = $1 and key = $2 and token = $3`, [set, key, token]);
    },
  };
}
