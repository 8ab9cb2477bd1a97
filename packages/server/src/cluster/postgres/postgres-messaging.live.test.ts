// Roles of the database that have no privileges for the tables of a cluster can send and receive notifications, and nothing else.
import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { bytes, nodeOpener, text } from "../contract-stores.test-support.ts";
import { encodeParts } from "../message-parts.ts";
import { PostgresLink } from "./postgres-link.ts";
import { channelOf } from "./postgres-messaging.ts";

const log = { write: () => undefined, enabled: () => false };
const server = await serverFor("postgres", { own: true, isDurable: false });

describe.skipIf(server === undefined)("messages between nodes on PostgreSQL (needs PostgreSQL)", () => {
  const { host, port, end } = server as TestServer;
  const urlOf = (user: string): string => `postgres://${user}@${host}:${port}/postgres`;
  afterAll(() => end());

  it("cannot be sent, read or replayed by a role without privileges", async () => {
    const open = nodeOpener((cluster) => `${urlOf("postgres")}?cluster=${cluster}`, 1);
    const [one, two] = [await open("guarded", "n1"), await open("guarded", "n2")];
    const received: string[] = [];
    two.messaging.respond("call", (payload, from) => {
      received.push(`${text(payload)} from ${from}`);
      return bytes("secret reply");
    });
    two.messaging.subscribe("topic", (payload) => void received.push(`published ${text(payload)}`));
    const admin = await PostgresLink.open(urlOf("postgres"), "other", log, () => "other");
    await admin.once("create role intruder login");
    const intruder = await PostgresLink.open(urlOf("intruder"), "guarded", log, (name) => channelOf(name, "n2"));
    const seen: string[] = [];
    intruder.onNotification((payload) => void seen.push(payload));
    const name = "sluice_guarded";
    const notify = (channel: string, payload: string) => intruder.once("select pg_notify($1, $2)", [channel, payload]);

    const forged = encodeParts({ id: "1", topic: "call", from: "n1", maxBytes: 1_000 }, bytes("forged"));
    await notify(channelOf(name, "n2"), `frame ${Buffer.from(forged).toString("base64")}`);
    await notify(name, `message n1 topic ${Buffer.from("forged").toString("base64")}`);
    const insert = intruder.once(`insert into ${name}_message (channel, bytes) values ($1, $2)`, [channelOf(name, "n2"), Buffer.from(forged)]);
    await expect(insert).rejects.toMatchObject({ code: "42501" });

    const { responses } = await one.messaging.request("call", bytes("sent"), { to: ["n2"], timeoutMs: 240_000, maxBytes: 1_000 });
    expect(text(responses.get("n2"))).toBe("secret reply");
    await expect.poll(() => seen.filter((payload) => /^frame \d+$/.test(payload)).length).toBe(1);
    for (const payload of [...seen]) await notify(channelOf(name, "n2"), payload);
    // Notifications arrive in order: those of the intruder were handled before this one.
    await one.messaging.request("call", bytes("last"), { to: ["n2"], timeoutMs: 240_000, maxBytes: 1_000 });
    expect(received).toEqual(["sent from n1", "last from n1"]);
    const [requestText, responseText] = [Buffer.from("sent").toString("base64"), Buffer.from("secret reply").toString("base64")];
    expect(seen.filter((payload) => payload.includes(requestText) || payload.includes(responseText))).toEqual([]);
    for (const cluster of [one, two, admin, intruder]) await cluster.close();
  });
});
