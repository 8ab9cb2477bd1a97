// At full scale: clients that pipeline without reading and compressed bodies use a bounded amount of memory, and other clients are
// served meanwhile.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startCanary } from "../canary.ts";
import { countStatuses, gzipOf, postGzip, sendWithoutReading } from "../hostile-clients.ts";
import { watchMemory } from "../process-usage.ts";
import { spawnWatched, type WatchedServer } from "../watched-server.ts";
import { call, sleep } from "../started-server.ts";

let server: WatchedServer;
beforeEach(async () => {
  server = await spawnWatched();
});
afterEach(async () => {
  await server.end("SIGKILL");
  server.clean();
});

const route = (id: string, uri: string, ...steps: readonly string[]): string =>
  `- route:\n    id: ${id}\n    from:\n      uri: ${uri}\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;

/** Runs an attack while the canary is called; returns the maximum memory growth in MiB. */
async function peakGrowth(attack: () => Promise<void>): Promise<number> {
  const canary = await startCanary(server, 250);
  const memory = watchMemory(server.pid);
  try {
    await attack();
    return memory.peak() - memory.before;
  } finally {
    memory.stop();
    const { calls, p99 } = await canary.stop();
    console.log(`memory +${(memory.peak() - memory.before).toFixed(0)} MiB, canary p99 ${p99.toFixed(0)} ms in ${calls} calls`);
  }
}

const bigReply = `setBody: {constant: "${"x".repeat(192 * 1024)}"}`;

describe("pipelining without reading", () => {
  it.each([
    { reader: "the fast path", path: "/big", sockets: 40, mib: 64 },
    { reader: "node:http", path: "/item/7", sockets: 40, mib: 64 },
    { reader: "the fast path", path: "/big", sockets: 100, mib: 256 },
    { reader: "node:http", path: "/item/7", sockets: 100, mib: 256 },
  ])("$sockets sockets × 2,000 requests through $reader stay within $mib MiB", async ({ path, sockets, mib }) => {
    await server.putFlow("big", route("big", "platform-http:/big", bigReply) + route("item", "platform-http:/item/{n}", bigReply));
    const growth = await peakGrowth(async () => {
      const clients = await sendWithoutReading(server.baseUrl, sockets, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(2_000));
      for (let second = 0; second < 8; second++) {
        expect((await call(server.baseUrl, "GET", path)).text).toHaveLength(192 * 1024);
        await sleep(1_000);
      }
      clients.close();
    });
    expect(growth).toBeLessThan(mib);
  });

  it("pipelined health requests with 400 routes do not delay others", async () => {
    const routes = Array.from({ length: 400 }, (_, index) => route(`r${index}`, `direct:r${index}`, "setBody: {constant: x}")).join("");
    expect((await server.putFlow("many", routes)).status).toBe(201);
    const growth = await peakGrowth(async () => {
      for (let round = 0; round < 5; round++) {
        const clients = await sendWithoutReading(server.baseUrl, 1, "GET /_api/health HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_500));
        await sleep(1_500);
        clients.close();
      }
    });
    expect(growth).toBeLessThan(64);
  });

  it("100 clients that pipeline and read get all responses", async () => {
    await server.putFlow("small", route("small", "platform-http:/small", "setBody: {constant: x}"));
    await peakGrowth(async () => {
      const clients = await sendWithoutReading(server.baseUrl, 100, "GET /small HTTP/1.1\r\nHost: a\r\n\r\n".repeat(500));
      const counts = clients.sockets.map(() => 0);
      clients.sockets.forEach((socket, index) =>
        socket.on("data", (chunk) => (counts[index] = (counts[index] as number) + chunk.toString("latin1").split("HTTP/1.1 200").length - 1)),
      );
      for (const socket of clients.sockets) socket.resume();
      for (let waits = 0; waits < 300 && counts.some((count) => count < 490); waits++) await sleep(100);
      // A status line may be split between chunks, and is not counted then.
      for (const count of counts) expect(count).toBeGreaterThan(480);
      clients.close();
    });
  });
});

describe("request bytes held", () => {
  const wait = 'delay: {constant: "8000"}';
  const packed = gzipOf(10 * 1024 * 1024);

  it.each([100, 150])("%i gzip bodies of 10 MiB each, sent to a route that waits, use bounded memory", async (clients) => {
    await server.putFlow("waits", route("waits", "webhook", wait) + route("honest", "webhook", 'setBody: {constant: "fine"}'));
    const growth = await peakGrowth(async () => {
      const attack = Promise.all(Array.from({ length: clients }, () => postGzip(`${server.baseUrl}/api/waits`, packed)));
      for (let second = 0; second < 5; second++) {
        expect((await call(server.baseUrl, "POST", "/api/honest", "x")).text).toBe("fine");
        await sleep(1_000);
      }
      const replies = await attack;
      const counts = countStatuses(replies);
      console.log(JSON.stringify(counts));
      expect(counts[200]).toBeGreaterThanOrEqual(5);
      expect((counts[200] ?? 0) + (counts[503] ?? 0)).toBe(clients);
      expect(replies.filter(({ status }) => status === 503).every(({ retryAfter }) => retryAfter === "1")).toBe(true);
    });
    expect(growth).toBeLessThan(256);
  });

  it("100 gzip bodies that are echoed to clients that do not read use bounded memory", async () => {
    await server.putFlow("echo", route("echo", "platform-http:/echo", 'setHeader: {name: a, constant: "b"}'));
    const head = `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`;
    const growth = await peakGrowth(async () => {
      const clients = await sendWithoutReading(server.baseUrl, 100, "");
      for (const socket of clients.sockets) socket.write(Buffer.concat([Buffer.from(head), packed]));
      await sleep(8_000);
      clients.close();
    });
    expect(growth).toBeLessThan(256);
  });
});
