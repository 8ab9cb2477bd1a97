// A NATS server that loses acknowledgements in a crash: its consumer must not be blocked by messages that are deleted.
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import type { QueueDelivery } from "@sluice/engine";
import { serverFor } from "@sluice/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { bytes, nodeOpener, text } from "../contract-stores.test-support.ts";

// Started only to find a free port, and to skip the test without NATS: the test starts its own server, whose files it replaces.
const other = await serverFor("nats", { own: true });
await other?.end();

describe.skipIf(other === undefined)("a consumer with lost acknowledgements (needs NATS)", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-acks-"));
  let stop = async (): Promise<void> => undefined;
  const config = join(folder, "nats.conf");
  // The streams reserve more than a small disk has.
  writeFileSync(config, "jetstream {max_file_store: 100TB}\n");
  const start = (port: number): Promise<void> =>
    new Promise((resolve) => {
      const server = spawn("nats-server", ["-c", config, "-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder], { stdio: ["ignore", "ignore", "pipe"] });
      server.stderr.on("data", (chunk) => String(chunk).includes("Server is ready") && resolve());
      // A clean stop stores which messages are deleted.
      stop = () =>
        new Promise((ended) => {
          server.once("exit", () => ended());
          server.kill("SIGTERM");
        });
    });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function expectStore(port: number, condition: (manager: JetStreamManager) => Promise<boolean>): Promise<void> {
    const inspection = await connect({ servers: `127.0.0.1:${port}` });
    const manager = await jetstreamManager(inspection);
    await expect.poll(() => condition(manager)).toBe(true);
    await inspection.close();
  }

  it("delivers new messages", async () => {
    const port = other?.port ?? 0;
    await start(port);
    const node = await nodeOpener((cluster) => `nats://127.0.0.1:${port}/${cluster}`, 1)("acks", "n1");
    const put = (body: string, key?: string): Promise<void> =>
      node.queues.put("work", { kind: "text", envelope: "{}", body: bytes(body) }, { id: randomUUID(), key, delayMs: 0 });
    const received: QueueDelivery[] = [];
    node.queues.consume("work", { concurrency: () => 20, keyToken: () => undefined, deliver: (delivery) => void received.push(delivery) });
    // Not delivered here: the first sequence of the stream stays below those of the deleted messages.
    await put("stays", "key");
    for (let index = 0; index < 20; index++) await put(`m${index}`);
    await expect.poll(() => received.length).toBe(20);
    const consumer = join(folder, "jetstream", "$G", "streams", "acks_queues", "obs", "queue_work");
    const saved = `${folder}-saved`;
    // The server stores the state of a consumer with a delay. It grows with each unacknowledged message.
    await expect.poll(() => statSync(join(consumer, "o.dat")).size).toBeGreaterThan(40);
    cpSync(join(consumer, "o.dat"), saved);
    for (const delivery of received) void delivery.done();
    await expectStore(port, async ({ streams }) => (await streams.info("acks_queues")).state.messages === 1);
    await stop();
    cpSync(saved, join(consumer, "o.dat"));
    rmSync(saved);
    await start(port);
    // The server tries to deliver a deleted message again, or the consumer has been repaired already.
    await expectStore(port, async ({ consumers }) => {
      const { num_redelivered: redelivered, num_ack_pending: pending } = await consumers.info("acks_queues", "queue_work");
      return redelivered > 0 || pending === 0;
    });
    await expect.poll(() => put("new").then(() => true)).toBe(true);
    await expect.poll(() => received.slice(20).map(({ message }) => text(message.body))).toEqual(["new"]);
    await node.close();
  });
});
