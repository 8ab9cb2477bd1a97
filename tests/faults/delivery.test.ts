// Messages survive partners that are down and processes that are killed.
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@sluice/testkit";
import { expect, it } from "vitest";
import { residentMiB } from "../process-usage.ts";
import { spawnServer } from "../spawned-server.ts";
import { call, eventually, sleep } from "../started-server.ts";

const route = (id: string, from: string, ...steps: readonly string[]): string =>
  `- route:\n    id: ${id}\n    from:\n      uri: ${from}\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;

it("1,000 messages for a partner that is temporarily down all arrive soon after it is up", async () => {
  const seen = new Set<string>();
  const listen = (port: number): Promise<Server> =>
    new Promise((resolve) => {
      const partner = createServer((request, response) => {
        let body = "";
        request.on("data", (chunk) => (body += chunk));
        request.on("end", () => {
          seen.add(body);
          response.end();
        });
      }).listen(port, "127.0.0.1", () => resolve(partner));
    });
  const port = await freePort();
  const server = await spawnServer({ env: { SERVICE_RUN_MS: "5m", SERVICE_MAX_INFLIGHT: "2000" } });
  try {
    await server.putFlow(
      "retried",
      `- errorHandler:\n    defaultErrorHandler:\n      redeliveryPolicy: {maximumRedeliveries: -1, redeliveryDelay: 500, maximumRedeliveryDelay: 1000, useExponentialBackOff: true}\n` +
        route("retried", "webhook", "to: {uri: 'seda:retried', parameters: {waitForTaskToComplete: Never, size: 5000}}") +
        route("retried-work", "seda:retried?concurrentConsumers=50&size=5000", `to: http://127.0.0.1:${port}/`),
    );
    const before = residentMiB(server.pid);
    const sendThousand = async (first: number): Promise<void> => {
      for (let from = first; from < first + 1000; from += 50)
        await Promise.all(Array.from({ length: 50 }, (_, index) => call(server.baseUrl, "POST", "/api/retried", `m${from + index}`)));
    };
    await sendThousand(0);
    await sleep(60_000);
    expect(residentMiB(server.pid) - before).toBeLessThan(150);
    const partner = await listen(port);
    const startTime = performance.now();
    await eventually(() => seen.size === 1000, 60_000);
    const recoveredMs = performance.now() - startTime;
    await sendThousand(1000);
    await eventually(() => seen.size === 2000, 60_000);
    const baselineMs = performance.now() - startTime - recoveredMs;
    console.log(`all 1,000 delivered ${(recoveredMs / 1000).toFixed(1)} s after the partner was back; 1,000 more took ${(baselineMs / 1000).toFixed(1)} s`);
    expect(recoveredMs).toBeLessThan(5_000);
    partner.closeAllConnections();
    partner.close();
  } finally {
    await server.end("SIGKILL");
    server.clean();
  }
});

it("1,000 files and 20 kills at random moments: every file is processed, and is marked only after success", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-files-"));
  const folder = join(dataDir, "in");
  mkdirSync(folder);
  const done = new Map<string, number>();
  const partner = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      done.set(body, (done.get(body) ?? 0) + 1);
      response.end();
    });
  });
  await new Promise<void>((resolve) => partner.listen(0, "127.0.0.1", resolve));
  const { port } = partner.address() as { port: number };
  for (let index = 0; index < 1000; index++) writeFileSync(join(folder, `f${String(index).padStart(4, "0")}.txt`), `file-${index}`);
  const yaml = route("files", `file:${folder}?initialDelay=0&delay=50&maxMessagesPerPoll=20`, `to: http://127.0.0.1:${port}/`);
  let server = await spawnServer({ dataDir });
  await server.putFlow("files", yaml);
  mkdirSync(join(folder, ".camel"), { recursive: true });
  const finished = (): string[] =>
    readdirSync(join(folder, ".camel"), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  for (let kill = 0; kill < 20; kill++) {
    await sleep(50 + Math.random() * 400);
    await server.end("SIGKILL");
    for (const name of finished().filter((file) => /^f\d+\.txt$/.test(file))) expect(done.has(`file-${Number(name.slice(1, 5))}`), name).toBe(true);
    server = await spawnServer({ dataDir });
  }
  await eventually(() => done.size === 1000 && readdirSync(folder).filter((name) => name.endsWith(".txt")).length === 0, 120_000);
  const repeated = [...done.values()].filter((count) => count > 1).length;
  console.log(`1,000 of 1,000 files processed, ${repeated} of them more than once`);
  expect(finished().filter((name) => /^f\d+\.txt$/.test(name))).toHaveLength(1000);
  expect(repeated).toBeLessThanOrEqual(20 * 20);
  await server.end("SIGKILL");
  server.clean();
  partner.closeAllConnections();
  partner.close();
});

it("messages accepted into a queue on disk survive 20 kills: each arrives at least once, few of them twice", async () => {
  const arrived = new Map<string, number>();
  const partner = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      arrived.set(body, (arrived.get(body) ?? 0) + 1);
      response.end();
    });
  });
  await new Promise<void>((resolve) => partner.listen(0, "127.0.0.1", resolve));
  const { port } = partner.address() as { port: number };
  const atOnce = 5;
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-queued-"));
  let server = await spawnServer({ dataDir });
  const put = await server.putFlow(
    "queued",
    route("queued", "webhook", "to: queue:queued", "setBody: {constant: kept}") +
      route("queued-work", `queue:queued?concurrentConsumers=${atOnce}&redeliveryDelay=200`, `to: http://127.0.0.1:${port}/`),
  );
  expect(put.json?.error).toBeUndefined();
  const accepted: string[] = [];
  let sending = true;
  const sender = (async () => {
    for (let number = 0; sending; number++) {
      // A call cut off by a kill was not acknowledged: it may arrive or not, and is not repeated.
      const reply = await call(server.baseUrl, "POST", "/api/queued", `m-${number}`).catch(() => undefined);
      if (reply?.text === "kept") accepted.push(`m-${number}`);
      else await sleep(50);
    }
  })();
  for (let kill = 0; kill < 20; kill++) {
    await sleep(200 + Math.random() * 500);
    await server.end("SIGKILL");
    server = await spawnServer({ dataDir });
  }
  sending = false;
  await sender;
  await eventually(() => accepted.every((message) => arrived.has(message)), 60_000);
  const repeated = [...arrived.values()].reduce((sum, count) => sum + count - 1, 0);
  console.log(`${accepted.length} accepted, all delivered, ${repeated} delivered again`);
  expect(accepted.length).toBeGreaterThan(50);
  expect(repeated).toBeLessThanOrEqual(20 * atOnce);
  await server.end("SIGKILL");
  server.clean();
  partner.closeAllConnections();
  partner.close();
});
