import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytes, nodeOpener, text } from "../contract-stores.test-support.ts";
import type { Cluster } from "@sluice/engine";
import { PostgresLink } from "./postgres-link.ts";
import { purgeRecords } from "./postgres-records.ts";

const server = await serverFor("postgres", { own: true, isDurable: false });
const log = { write: () => undefined, enabled: () => false };

describe.skipIf(server === undefined)("records on PostgreSQL (needs PostgreSQL)", () => {
  const { host, port, end } = server as TestServer;
  const url = `postgres://postgres@${host}:${port}/postgres`;
  let node: Cluster;
  let link: PostgresLink;
  beforeAll(async () => {
    node = await nodeOpener((cluster) => `${url}?cluster=${cluster}`, 1)("records", "n1");
    link = await PostgresLink.open(url, "records", log, (prefix) => `${prefix}_own`);
  });
  afterAll(async () => {
    await node?.close();
    await link?.close();
    await end();
  });

  it("are removed for nodes that do not return, and so are deletions in collections without history", async () => {
    const collections = ["config", "nodes", "dead-letters"] as const;
    for (const collection of collections)
      for (const [id, content] of Object.entries({ old: "1", oldDeleted: undefined, new: "1", newDeleted: undefined }))
        await node.records.write(collection, id, content === undefined ? undefined : bytes(content));
    await link.once("update sluice_records_record set at = at - 601000 where id like 'old%'");
    await purgeRecords(link);
    const remainingIds = async (collection: string): Promise<readonly string[]> =>
      (await link.once("select id from sluice_records_record where collection = $1 order by revision", [collection])).map((row) => String(row["id"]));
    expect([await remainingIds("nodes"), await remainingIds("dead-letters"), await remainingIds("config")]).toEqual([
      ["new", "newDeleted"],
      ["old", "new", "newDeleted"],
      ["old", "oldDeleted", "new", "newDeleted"],
    ]);
  });

  it("cause no conflict when they are stored after the statement timed out", async () => {
    const { revision: head } = await node.records.write("config", "flow/slow", bytes("1"));
    // The first write takes longer than the client waits, and the second one waits for it.
    await link.once(`create sequence sleeps`);
    await link.once(`create function sleep_once() returns trigger language plpgsql as
      $$ begin if nextval('sleeps') = 1 then perform pg_sleep(3); end if; return new; end $$`);
    await link.once(`create trigger sleep_once before insert on sluice_records_record for each row execute function sleep_once()`);
    const { revision } = await node.records.write("config", "flow/slow", bytes("2"), { head });
    expect(revision).toBe(head + 1);
    const versions = await node.records.versions("config", "flow/slow");
    expect(versions.map((version) => text(version.bytes))).toEqual(["2", "1"]);
    await expect(node.records.write("config", "flow/slow", bytes("3"), { head })).rejects.toMatchObject({ kind: "conflict" });
  });
});
