// A NATS server that loses acknowledgements in a crash: its consumer must not be blocked by messages that are deleted.
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { jetstreamManager } from "@nats-io/jetstream";
import type { QueueDelivery } from "@sluice/engine";
import { serverFor } from "@sluice/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { bytes, nodeOpener, leaseMs, text } from "../contract-stores.test-support.ts";

// Started only to find a free port, and to skip the test without NATS: the test starts its own server, whose files it replaces.
const other = await serverFor("nats", { own: true });
await other?.end();

describe.skipIf(other === undefined)("a consumer with lost acknowledgements (needs NATS)", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-acks-"));
  let stop = async (): Promise<void> => undefined;
  const start = (port: number): Promise<void> =>
    new Promise((resolve) => {
      const server = spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder], { stdio: ["ignore", "ignore", "pipe"] });
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
    // The server stores the state of a consumer with a delay.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    cpSync(join(consumer, "o.dat"), saved);
    for (const delivery of received) void delivery.done();
    const inspection = await connect({ servers: `127.0.0.1:${port}` });
    const manager = await jetstreamManager(inspection);
    await expect.poll(async () => (await manager.streams.info("acks_queues")).state.messages).toBe(1);
    await inspection.close();
    await stop();
    cpSync(saved, join(consumer, "o.dat"));
    rmSync(saved);
    await start(port);
    // The server now tries to deliver the deleted messages again.
    await new Promise((resolve) => setTimeout(resolve, leaseMs + 1_000));
    await expect.poll(() => put("new").then(() => true), { timeout: 10_000 }).toBe(true);
    await expect.poll(() => received.slice(20).map(({ message }) => text(message.body)), { timeout: 20_000 }).toEqual(["new"]);
    await node.close();
  });
});
