// Large content over a slow connection: each statement transfers as much as its time limit allows.
import { FaultyLink, serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { nodeOpener } from "../contract-stores.test-support.ts";

const server = await serverFor("postgres", { own: true, isDurable: false });
const size = 3_000_000;

describe.skipIf(server === undefined)("large content on PostgreSQL (needs PostgreSQL)", () => {
  const { host, port, end } = server as TestServer;
  const urlOf = (at: number) => (cluster: string) => `postgres://postgres@${host}:${at}/postgres?cluster=${cluster}`;
  afterAll(() => end());

  it("is read in several statements if one would exceed its time limit", { timeout: 60_000 }, async () => {
    const proxy = await FaultyLink.to({ host, port });
    proxy.limit(6_000_000);
    const name = `large${process.pid}${Date.now()}`;
    const writer = await nodeOpener(urlOf(port), 1)(name, "writer");
    const ids = Array.from({ length: 4 }, (_, index) => `flow/${index}`);
    for (const id of ids) {
      await writer.records.write("config", id, new Uint8Array(size));
      await writer.queues.put("work", { kind: "bytes", envelope: "{}", body: new Uint8Array(size) }, { id, key: undefined, delayMs: 0 });
    }
    const reader = await nodeOpener(urlOf(proxy.port), 1)(name, "reader");
    const loaded: string[] = [];
    await new Promise<void>((resolve) => {
      reader.records.watch(
        "config",
        (change) => void loaded.push(change.id),
        () => resolve(),
      );
    });
    expect(loaded).toEqual(ids);
    await writer.records.write("config", "flow/next", new Uint8Array(1));
    await expect.poll(() => loaded.at(-1)).toBe("flow/next");
    const received = new Map<string, number>();
    const consumption = reader.queues.consume("work", {
      concurrency: () => 10,
      keyToken: () => undefined,
      deliver(delivery) {
        received.set(delivery.id, delivery.message.body.length);
        void delivery.done();
      },
    });
    // A busy machine may be too slow for one statement; its messages are then delivered again.
    await expect.poll(() => received.size, { timeout: 30_000 }).toBe(4);
    expect(ids.map((id) => received.get(id))).toEqual(ids.map(() => size));
    await consumption.stop();
    await reader.close();
    await writer.close();
    await proxy.close();
  });
});
