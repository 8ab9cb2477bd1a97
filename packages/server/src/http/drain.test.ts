import { connect } from "node:net";
import { sendRaw, statuses } from "@sluice/testkit";
import { expect, test } from "vitest";
import { startListener, text } from "./listener-under-test.ts";

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

  const drained = server.listener.drain(10_000);
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
  const drained = server.listener.drain(10_000);
  await new Promise((resolve) => setTimeout(resolve, 300));
  socket.on("data", (chunk) => (size += chunk.length));
  expect(await drained).toEqual({ unanswered: 0, cut: 0 });
  await expect.poll(() => size).toBeGreaterThan(body.length);
});
