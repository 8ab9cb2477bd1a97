import * as jetstream from "@nats-io/jetstream";
import * as transport from "@nats-io/transport-node";
import type { Claim, Cluster } from "@sluice/engine";
import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bytes, nodeOpener } from "../contract-stores.test-support.ts";
import { claimStreamOf, purgeClaims } from "./nats-claims.ts";
import type { NatsLink } from "./nats-link.ts";
import { NatsPublisher } from "./nats-publisher.ts";
import { streamOf } from "./nats-records.ts";
import { createSendGroups } from "./send-groups.ts";

const server = await serverFor("nats", { own: true });

describe.skipIf(server === undefined)("claims on NATS (needs NATS)", () => {
  const { host, port, end } = server as TestServer;
  const name = "claims";
  let node: Cluster;
  let link: NatsLink;
  beforeAll(async () => {
    node = await nodeOpener((cluster) => `nats://${host}:${port}/${cluster}`, 1)(name, "n1");
    const connection = await transport.connect({ servers: `${host}:${port}` });
    const [js, jsm] = [jetstream.jetstream(connection), await jetstream.jetstreamManager(connection)];
    const sendGrouped = createSendGroups();
    const publisher = new NatsPublisher({ connection, transport, jetstream, name, sendGrouped });
    link = { connection, transport, jetstream, js, jsm, sendGrouped, publisher, name, maxPayload: 1024 ** 2, isUp: true, reconnects: 0 };
  });
  afterAll(async () => {
    await node?.close();
    link?.publisher.close();
    await link?.connection.close();
    await end();
  });
  const claim = async (key: string): Promise<boolean> => (await node.claims.claim("hour", key, bytes(key))).won;
  const heartbeat = (): Promise<unknown> => node.records.write("nodes", node.boot, bytes("{}"));

  it("keeps unexpired keys even if the clock of a node is wrong", async () => {
    expect(await claim("kept")).toBe(true);
    await heartbeat();
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 7_200_000);
    await purgeClaims(link, "hour", 3_600_000).finally(() => clock.mockRestore());
    expect(await claim("kept")).toBe(false);
  });

  it("removes the keys that are older than the lifetime, even if no others exist", async () => {
    const lastTime = async (stream: string): Promise<number> => Date.parse((await link.jsm.streams.info(stream)).state.last_ts);
    /** The time between the last claim and a heartbeat that is sent later, by the clock of the server. */
    const age = async (): Promise<number> => {
      const claimedAt = await lastTime(claimStreamOf(link, "hour"));
      for (;;) {
        await heartbeat();
        const passed = (await lastTime(streamOf(link, "nodes"))) - claimedAt;
        if (passed > 1) return passed;
      }
    };
    expect(await claim("old")).toBe(true);
    await age();
    expect(await claim("new")).toBe(true);
    await purgeClaims(link, "hour", await age());
    expect([await claim("new"), await claim("old")]).toEqual([false, true]);
    await purgeClaims(link, "hour", (await age()) - 1);
    expect([await claim("new"), await claim("old")]).toEqual([true, true]);
  });

  it("releases a claim whose message is gone, however it was removed", async () => {
    const claims = await Promise.all(["a", "b", "c"].map((key) => node.claims.claim("slot", key, bytes(key))));
    // Servers report a missing first message of a stream differently from a missing message in the middle.
    for (const index of [1, 1, 0, 0]) await node.claims.release(claims[index] as Claim);
    await link.jsm.streams.purge(claimStreamOf(link, "slot"));
    for (const released of claims) await node.claims.release(released);
    expect((await node.claims.claim("slot", "a", bytes("again"))).won).toBe(true);
  });

  it("a claim fails at once when the stream cannot store it", async () => {
    await link.jsm.streams.update(claimStreamOf(link, "pin"), { max_bytes: 1 });
    await expect(node.claims.claim("pin", "key", bytes(""))).rejects.toMatchObject({ name: "ClusterError", kind: "full" });
  });
});
