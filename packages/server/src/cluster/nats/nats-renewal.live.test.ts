import { randomUUID } from "node:crypto";
import type { QueueDelivery } from "@sluice/engine";
import { FaultyLink, serverFor, type TestServer } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { bytes, nodeOpener, text } from "../contract-stores.test-support.ts";

const server = await serverFor("nats", { own: true });

describe.skipIf(server === undefined)("a lease on NATS (needs NATS)", () => {
  it("ends while its node is disconnected: a late retry does not run the message again", async () => {
    const { host, port, end } = server as TestServer;
    const proxy = await FaultyLink.to({ host, port });
    const open = (at: number, name: string) => nodeOpener((cluster) => `nats://${host}:${at}/${cluster}`, 1)("leases", name);
    const one = await open(proxy.port, "n1");
    const received: { readonly by: string; readonly delivery: QueueDelivery }[] = [];
    const consume = (cluster: typeof one, by: string) =>
      cluster.queues.consume("work", { concurrency: () => 10, keyToken: () => undefined, deliver: (delivery) => void received.push({ by, delivery }) });
    consume(one, "one");
    await one.queues.put("work", { kind: "text", envelope: "{}", body: bytes("x") }, { id: randomUUID(), key: undefined, delayMs: 0 });
    await expect.poll(() => received.length).toBe(1);
    const two = await open(port, "n2");
    consume(two, "two");
    await proxy.refuse();
    await expect.poll(() => received.length).toBe(2);
    await proxy.open();
    await expect.poll(() => one.queues.depths().catch(() => [])).toHaveLength(1);
    received[0]?.delivery.retry(0);
    // A copy of the message would be stored and delivered before this one.
    await one.queues.put("work", { kind: "text", envelope: "{}", body: bytes("y") }, { id: randomUUID(), key: undefined, delayMs: 0 });
    await expect.poll(() => received.length).toBe(3);
    expect(text(received[2]?.delivery.message.body)).toBe("y");
    void received[2]?.delivery.done();
    expect(received.slice(0, 2).map(({ by, delivery }) => `${by} ${delivery.attempt}`)).toEqual(["one 1", "two 2"]);
    void received[1]?.delivery.done();
    await expect.poll(async () => (await two.queues.depths()).length).toBe(0);
    for (const node of [one, two]) await node.close();
    await proxy.close();
    await end();
  });
});
