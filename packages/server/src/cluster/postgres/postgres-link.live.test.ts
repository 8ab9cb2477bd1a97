// The connection to PostgreSQL must survive any notification, detect that the server does not respond, and leave nothing behind on the server.
import { FaultyLink, serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { bytes, nodeOpener } from "../contract-stores.test-support.ts";
import { PostgresLink, type LinkLimits } from "./postgres-link.ts";
import { channelOf } from "./postgres-messaging.ts";

const server = await serverFor("postgres", { own: true, isDurable: false });
const lines: string[] = [];
const log = { write: (_level: string, _name: string, text: string) => void lines.push(text), enabled: () => true };

describe.skipIf(server === undefined)("the connection to PostgreSQL (needs PostgreSQL)", () => {
  const { host, port, end } = server as TestServer;
  const url = `postgres://postgres@${host}:${port}/postgres`;
  const open = (name: string, limits: Partial<LinkLimits> = {}, at = port): Promise<PostgresLink> =>
    PostgresLink.open(`postgres://postgres@${host}:${at}/postgres`, name, log, (prefix) => `${prefix}_own`, limits);
  afterAll(() => end());

  it("receives notifications after one that a handler cannot read", async () => {
    const link = await open("handlers");
    const received: string[] = [];
    link.onNotification((payload) => void received.push(decodeURIComponent(payload)));
    for (const payload of ["first", "%", "last"]) await link.once("select pg_notify($1, $2)", [link.name, payload]);
    await expect.poll(() => received).toEqual(["first", "last"]);
    expect(lines).toEqual(["Cannot handle a notification from PostgreSQL: URI malformed"]);
    await link.close();
  });

  it("calls every handler of a notification, even when an earlier one fails", async () => {
    const link = await open("several");
    const received: string[] = [];
    link.onNotification(() => {
      throw new Error("refused");
    });
    link.onNotification((payload) => void received.push(payload));
    await link.once("select pg_notify($1, 'x')", [link.name]);
    await expect.poll(() => received).toEqual(["x"]);
    await link.close();
  });

  it("still delivers messages between nodes after malformed notifications", async () => {
    const node = nodeOpener((cluster) => `${url}?cluster=${cluster}`, 1);
    const [one, two] = [await node("malformed", "n1"), await node("malformed", "n2")];
    two.messaging.respond("greet", () => bytes("hello"));
    const link = await open("malformed");
    for (const payload of ["queue %", "message", "message %", "frame x", "record", ""])
      for (const channel of [link.name, channelOf(link.name, "n2")]) await link.once("select pg_notify($1, $2)", [channel, payload]);
    const { failed } = await one.messaging.request("greet", bytes(""), { to: ["n2"], timeoutMs: 240_000, maxBytes: 100 });
    expect([...failed]).toEqual([]);
    for (const each of [one, two, link]) await each.close();
  });

  it("detects a silently lost connection, and closes without waiting for the server", async () => {
    const proxy = await FaultyLink.to({ host, port });
    const sender = await open("frozen");
    const link = await open("frozen", { checkEveryMs: 100 }, proxy.port);
    const received: string[] = [];
    link.onNotification((payload) => void received.push(payload));
    const notify = () => sender.once("select pg_notify($1, 'x')", [sender.name]);
    await notify();
    await expect.poll(() => received.length).toBe(1);
    proxy.freeze();
    await expect.poll(() => notify().then(() => received.length)).toBeGreaterThan(1);
    proxy.freeze();
    await link.close();
    await sender.close();
    await proxy.close();
  });

  it("rejects a statement with a timeout when the server stops responding", async () => {
    const proxy = await FaultyLink.to({ host, port });
    const link = await open("silent", {}, proxy.port);
    await link.once("select 1");
    const waiting = link.once("select pg_sleep(0.3)");
    proxy.freeze();
    await expect(waiting).rejects.toThrow(/timeout/i);
    await link.close();
    await proxy.close();
  });

  it("leaves no statement behind on the server when it waits for a lock", async () => {
    const link = await open("locked", { statementMs: 3_000 });
    const admin = await open("locking");
    await admin.once("create table locked (id int)");
    // The locking statement ends when the test cancels it. It has no time limit itself: the pool reuses this connection for it.
    await admin.once("set statement_timeout = 0");
    const locking = admin.once("do $$ begin lock table locked; perform pg_sleep(3600); end $$", [], 3_600_000).catch(() => undefined);
    const waitingStatements = async () =>
      (await admin.once("select count(*)::int as count from pg_stat_activity where query like 'insert into locked%' and state = 'active'"))[0]?.["count"];
    await expect.poll(async () => (await admin.once("select count(*)::int as count from pg_locks where relation = 'locked'::regclass"))[0]?.["count"]).toBe(1);
    await expect(link.once("insert into locked values ($1)", [1])).rejects.toThrow(/timeout/i);
    await expect.poll(waitingStatements).toBe(0);
    expect((await admin.once("select count(*)::int as count from pg_locks where relation = 'locked'::regclass"))[0]?.["count"]).toBe(1);
    await admin.once("select pg_terminate_backend(pid) from pg_stat_activity where query like 'do %pg_sleep(3600)%'");
    await locking;
    await link.close();
    await admin.close();
  });

  it("leaves no connections behind when it cannot listen", async () => {
    const admin = await open("admin");
    await admin.once("create database refusing");
    const failing = PostgresLink.open(`postgres://postgres@${host}:${port}/refusing`, "x", log, () => "no valid name");
    await expect(failing).rejects.toThrow("syntax error");
    const count = async () => (await admin.once("select count(*)::int as count from pg_stat_activity where datname = 'refusing'"))[0]?.["count"];
    await expect.poll(count).toBe(0);
    await admin.close();
  });
});
