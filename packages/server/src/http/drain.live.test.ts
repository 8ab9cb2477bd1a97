import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { sendRaw, statuses } from "@sluice/testkit";
import { afterEach, expect, test, vi } from "vitest";
import { AcceptingServer } from "./accepting-server.ts";
import { drainServer } from "./drain.ts";
import { startListener, text } from "./listener-under-test.ts";

afterEach(() => void vi.useRealTimers());

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

function openSocket(port: number): { readonly write: (bytes: string) => void; readonly received: () => string; readonly isClosed: () => boolean } {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let closed = false;
  socket.on("data", (chunk) => (received += String(chunk)));
  socket.on("close", () => (closed = true));
  socket.on("error", () => undefined);
  return { write: (bytes) => void socket.write(bytes), received: () => received, isClosed: () => closed };
}

test("answers accepted requests, closes connections after their last reply, and closes idle ones", async () => {
  const server = await startListener();
  let release: (() => void) | undefined;
  server.mount("/api/slow", () => new Promise((resolve) => (release = () => resolve(text("slow")))));
  server.mount("/api/quick", () => text("quick"));
  const busy = openSocket(server.port);
  const reused = openSocket(server.port);
  const idle = openSocket(server.port);
  busy.write(request("/api/slow"));
  reused.write(request("/api/quick"));
  await expect.poll(() => release !== undefined && reused.received().endsWith("quick") && server.listener.connections === 3).toBe(true);

  const drained = server.listener.drain(120_000);
  expect(server.listener.draining).toBe(true);
  reused.write(request("/api/quick"));
  await expect.poll(() => statuses(reused.received())).toEqual([200, 200]);
  expect(reused.received()).toContain("Connection: close");
  const rejected = await sendRaw(server.port, request("/api/quick"));
  expect(statuses(rejected.text)).toEqual([503]);
  expect(rejected.closed).toBe(true);
  expect(statuses((await sendRaw(server.port, request("/_api/health"))).text)).toEqual([200]);
  release?.();
  expect(await drained).toEqual({ unanswered: 0, cut: 0 });
  await expect.poll(() => busy.isClosed() && reused.isClosed() && idle.isClosed()).toBe(true);
  expect(busy.received()).toMatch(/Connection: close[^]*slow$/);
  await expect(fetch(`http://127.0.0.1:${server.port}/api/quick`)).rejects.toThrow();
});

test("a connection opened before gets 503 when its route has already stopped", async () => {
  const server = await startListener();
  let release: (() => void) | undefined;
  server.mount("/api/slow", () => new Promise((resolve) => (release = () => resolve(text("slow")))));
  const unmount = server.mount("/api/quick", () => text("quick"));
  const busy = openSocket(server.port);
  const reused = openSocket(server.port);
  busy.write(request("/api/slow"));
  reused.write(request("/api/quick"));
  await expect.poll(() => release !== undefined && reused.received().endsWith("quick")).toBe(true);

  const drained = server.listener.drain(120_000);
  unmount();
  reused.write(request("/api/quick"));
  await expect.poll(() => statuses(reused.received())).toEqual([200, 503]);
  expect(reused.received()).toMatch(/Retry-After: 1/i);
  release?.();
  await drained;
});

test("closes and counts stuck connections at the deadline", async () => {
  const server = await startListener();
  server.mount("/api/stuck", () => new Promise(() => undefined));
  const stuck = openSocket(server.port);
  stuck.write(request("/api/stuck"));
  await expect.poll(() => server.ingress.active).toBe(1);
  expect(await server.listener.drain(200)).toEqual({ unanswered: 1, cut: 1 });
  await expect.poll(() => stuck.isClosed()).toBe(true);
});

test("waits for a large reply that is still being sent", async () => {
  const server = await startListener();
  const body = Buffer.alloc(20_000_000, "x");
  server.mount("/api/large", () => ({ status: 200, headers: undefined, body }));
  const socket = connect(server.port, "127.0.0.1");
  let size = 0;
  socket.write(request("/api/large"));
  await new Promise((resolve) => socket.once("readable", resolve));
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  let counts: unknown;
  void server.listener.drain(3_600_000).then((found) => (counts = found));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts).toBeUndefined();
  socket.on("data", (chunk) => (size += chunk.length));
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      return counts;
    })
    .toEqual({ unanswered: 0, cut: 0 });
  await expect.poll(() => size).toBeGreaterThan(body.length);
});

/** Opens connections with a request each when the first number is 1, and reports them as open in the second. */
const clients = `
const { connect } = require("node:net");
const { parentPort, workerData: { port, signals, count } } = require("node:worker_threads");
Atomics.wait(signals, 0, 0);
const outcomes = [];
for (let index = 0; index < count; index++) {
  let outcome = "";
  connect(port, "127.0.0.1", function () {
    this.write("GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n");
    Atomics.add(signals, 1, 1);
    Atomics.notify(signals, 1);
  })
    .on("data", (chunk) => (outcome += chunk))
    .on("error", ({ code }) => (outcome = code))
    .on("close", () => outcomes.push(outcome.slice(0, 12)) === count && parentPort.postMessage(outcomes));
}
`;

test("answers connections that were established in the last moment before the port is closed", async () => {
  const count = 24;
  const server = new AcceptingServer((_request, response) => void response.setHeader("connection", "close").end("x")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const listen = vi.spyOn((server as unknown as { _handle: { listen(backlog: number): number } })._handle, "listen");
  const signals = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(clients, { eval: true, workerData: { port: (server.address() as AddressInfo).port, signals, count } });
  const outcomes = once(worker, "message");
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  let lastTime: number | undefined;
  const drained = drainServer(server, {
    deadlineMs: 3_600_000,
    sockets: new Set(),
    // The second call without a pause in between is the one after the wait: this thread does not accept what arrives meanwhile.
    inFlight() {
      // real time: the fake timers replace it.
      if (lastTime === performance.now()) {
        Atomics.store(signals, 0, 1);
        Atomics.notify(signals, 0);
        for (let open = 0; open < count; open = Atomics.load(signals, 1)) Atomics.wait(signals, 1, open);
      }
      // real time: as above.
      lastTime = performance.now();
      return 0;
    },
    closeIdle: () => undefined,
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await outcomes)[0]).toEqual(Array.from({ length: count }, () => "HTTP/1.1 200"));
  expect(await drained).toEqual({ unanswered: 0, cut: 0 });
  // Otherwise clients that connect all the time would keep the backlog filled.
  expect(listen).toHaveBeenCalledWith(0);
});
