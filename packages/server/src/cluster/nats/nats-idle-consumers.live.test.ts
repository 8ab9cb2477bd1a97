// Consumers on a real NATS server whose queues are no longer consumed.
import { randomUUID } from "node:crypto";
import * as jetstream from "@nats-io/jetstream";
import * as transport from "@nats-io/transport-node";
import type { QueueDelivery } from "@sluice/engine";
import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytes, nodeOpener, text } from "../contract-stores.test-support.ts";
import { IdleConsumers } from "./nats-idle-consumers.ts";
import type { NatsLink } from "./nats-link.ts";

const server = await serverFor("nats", { own: true });

describe.skipIf(server === undefined)("consumers of queues that no node consumes (needs NATS)", () => {
  const { host, port } = (server ?? {}) as TestServer;
  const name = "idle";
  let connection: transport.NatsConnection;
  let jsm: jetstream.JetStreamManager;
  beforeAll(async () => {
    connection = await transport.connect({ servers: `${host}:${port}` });
    jsm = await jetstream.jetstreamManager(connection);
  });
  afterAll(async () => {
    await connection.close();
    await server?.end();
  });

  it("are removed when they are idle in two checks, and no message is lost", async () => {
    const node = await nodeOpener((cluster) => `nats://${host}:${port}/${cluster}`, 1)(name, "n1");
    const put = (queue: string, body: string): Promise<void> =>
      node.queues.put(queue, { kind: "text", envelope: "{}", body: bytes(body) }, { id: randomUUID(), key: undefined, delayMs: 0 });
    const received = new Map<string, QueueDelivery>();
    const consume = (queue: string) =>
      node.queues.consume(queue, {
        concurrency: () => 1,
        keyToken: () => undefined,
        deliver: (delivery) => void received.set(text(delivery.message.body) ?? "", delivery),
      });
    const names = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const info of jsm.consumers.list(`${name}_queues`)) found.push(info.name);
      return found.sort();
    };
    // Another node, on which no flow consumes a queue.
    const link = { connection, jsm, name, isUp: true } as NatsLink;
    const idle = new IdleConsumers(link, () => false);
    const check = async (): Promise<readonly string[]> => {
      await idle.check();
      return names();
    };

    consume("open");
    const busy = consume("busy");
    const removed = consume("removed");
    await expect.poll(names).toEqual(["queue_busy", "queue_open", "queue_removed"]);
    await put("busy", "in flight");
    await expect.poll(() => received.has("in flight")).toBe(true);
    await put("removed", "first");
    await expect.poll(() => received.has("first")).toBe(true);
    void received.get("first")?.done();
    await removed.stop();
    const busyStopped = busy.stop();
    await put("removed", "waiting");
    // The requests of a stopped consumer end after some seconds.
    await expect.poll(async () => (await jsm.consumers.info(`${name}_queues`, "queue_removed")).num_waiting).toBe(0);

    expect(await check()).toEqual(["queue_busy", "queue_open", "queue_removed"]);
    expect(await check()).toEqual(["queue_busy", "queue_open"]);
    void received.get("in flight")?.done();
    await busyStopped;
    consume("removed");
    await expect.poll(() => received.has("waiting")).toBe(true);
    idle.stop();
    await node.close();
  });
});
