import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { bodyOf, sendRaw, statuses } from "@sluice/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startListener, text, type ListenerUnderTest } from "./listener-under-test.ts";

const maxBodyBytes = 100_000;
let server: ListenerUnderTest;
/** Has short timeouts, which other tests would exceed on a slow machine. */
let shortTimeoutServer: ListenerUnderTest;
let calls: string[] = [];

beforeAll(async () => {
  server = await startListener({ limits: { maxBodyBytes, maxHeaderCount: 100 } });
  shortTimeoutServer = await startListener({ limits: { maxBodyBytes, headersTimeoutMs: 300, requestTimeoutMs: 400 } });
  for (const { mount } of [server, shortTimeoutServer]) {
    mount("/api/echo", (request) => {
      calls.push(`${request.method} ${request.path}`);
      return { status: 200, headers: { "Content-Type": "application/octet-stream" }, body: request.body };
    });
  }
  server.mount("/api/headers", (request) => text(JSON.stringify({ ...request.headers })));
  server.mount("/catch", (request) => text(`caught ${request.path}`), { prefix: true });
});
afterAll(() => Promise.all([server, shortTimeoutServer].map(({ listener }) => listener.drain(0))));
beforeEach(() => {
  calls = [];
  expect([server.faults, shortTimeoutServer.faults]).toEqual([[], []]);
});

const post = (headers: string, body = ""): string => `POST /api/echo HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}`;
const url = (path: string): string => `http://127.0.0.1:${server.port}${path}`;

async function canary({ port }: ListenerUnderTest): Promise<unknown> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/echo`, { method: "POST", body: "canary" });
  return [reply.status, await reply.text()];
}
const healthy = [200, "canary"];

test.each([
  ["length and chunks together", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")],
  ["two lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!")],
  ["two equal lengths", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello")],
  ["a list of lengths", post("Content-Length: 5, 5\r\n", "hello")],
  ["a space before the colon", post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n")],
  ["chunked, identity", post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n")],
  ["identity, chunked", post("Transfer-Encoding: identity, chunked\r\n", "0\r\n\r\n")],
  ["gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")],
  ["xchunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")],
  ["two encodings", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n")],
  ["chunks in HTTP/1.0", "POST /api/echo HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["a folded header", post("X-A: b\r\n c\r\nContent-Length: 0\r\n")],
  ["bare line feeds", "POST /api/echo HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello"],
  ["a bare line feed between headers", "POST /api/echo HTTP/1.1\r\nHost: a\nContent-Length: 5\r\n\r\nhello"],
  ["a bare line feed in a chunk size", post("Transfer-Encoding: chunked\r\n", "5\nhello\r\n0\r\n\r\n")],
  ["a bare carriage return", post("X: a\rb\r\nContent-Length: 0\r\n")],
  ["a signed length", post("Content-Length: +5\r\n", "hello")],
  ["a negative length", post("Content-Length: -1\r\n")],
  ["a hexadecimal length", post("Content-Length: 0x5\r\n", "hello")],
  ["a length beyond 64 bits", post("Content-Length: 99999999999999999999999\r\n", "hello")],
  ["a NUL in a header", post("X: a\0b\r\nContent-Length: 0\r\n")],
  ["a chunk size beyond 64 bits", post("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n\r\n")],
  ["a chunk longer than its size", post("Transfer-Encoding: chunked\r\n", "5\r\nhelloXX0\r\n\r\n")],
  ["no host", "POST /api/echo HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"],
  ["two hosts", post("Host: b\r\nContent-Length: 5\r\n", "hello")],
  ["TLS on the plain port", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
  ["raw bytes above ASCII in the path", "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n"],
])("%s: returns 400 and closes the connection, without a run or a second reply", async (_name, bytes) => {
  const nextRequest = "GET /api/headers HTTP/1.1\r\nHost: a\r\n\r\n";
  const { text: received, closed } = await sendRaw(server.port, bytes + nextRequest);
  expect(statuses(received)).toEqual([400]);
  expect(closed).toBe(true);
  expect(JSON.parse(bodyOf(received))).toEqual({ error: expect.any(String) });
  expect(calls).toEqual([]);
});

test("HTTP/2.0 in the request line returns 505", async () => {
  expect(statuses((await sendRaw(server.port, "GET /api/echo HTTP/2.0\r\nHost: a\r\n\r\n")).text)).toEqual([505]);
});

test("random bytes never get a 2xx, and the next caller is served", async () => {
  for (let round = 0; round < 40; round++) {
    const { text: received } = await sendRaw(server.port, randomBytes(1 + ((round * 37) % 600)), { replies: 0 });
    for (const status of statuses(received)) expect(status).toBeGreaterThanOrEqual(400);
  }
  expect(await canary(server)).toEqual(healthy);
});

test("a pending reply is sent when invalid data follows the request", async () => {
  let release: (() => void) | undefined;
  const unmount = server.mount("/api/slow", () => new Promise((resolve) => (release = () => resolve(text("slow")))));
  const pending = sendRaw(server.port, ["GET /api/slow HTTP/1.1\r\nHost: a\r\n\r\n", "\x00\x01rubbish\r\n\r\n"]);
  await expect.poll(() => release).toBeDefined();
  // The server reads the invalid data, which was sent earlier, before it replies to another client.
  expect(await canary(server)).toEqual(healthy);
  release?.();
  const { text: received, closed } = await pending;
  expect(statuses(received)).toEqual([200]);
  expect(received).toContain("slow");
  expect(closed).toBe(true);
  unmount();
});

test.each([
  ["a header of 17 KiB", `GET /api/echo HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(17_408)}\r\n\r\n`, [431]],
  ["2,000 headers", `GET /api/echo HTTP/1.1\r\nHost: a\r\n${"a:b\r\n".repeat(2_000)}\r\n`, [431]],
  ["a URL of 17 KiB", `GET /${"y".repeat(17_408)} HTTP/1.1\r\nHost: a\r\n\r\n`, [431]],
  ["a URL of 9 KiB", `GET /${"y".repeat(9_216)} HTTP/1.1\r\nHost: a\r\n\r\n`, [414]],
  ["an unknown expectation", `GET /api/echo HTTP/1.1\r\nHost: a\r\nExpect: gold\r\n\r\n`, [417]],
])("%s is rejected, and the connection is closed", async (_name, bytes, expected) => {
  const { text: received, closed } = await sendRaw(server.port, bytes);
  expect(statuses(received)).toEqual(expected);
  expect(JSON.parse(bodyOf(received))).toEqual({ error: expect.any(String) });
  expect(closed).toBe(true);
});

test("a declared length over the limit is rejected before the body is read", async () => {
  const { text: received, closed } = await sendRaw(server.port, post(`Content-Length: ${maxBodyBytes + 1}\r\n`));
  expect(statuses(received)).toEqual([413]);
  expect(bodyOf(received)).toBe(`{"error":"request body exceeds ${maxBodyBytes} bytes"}`);
  expect(closed).toBe(true);
});

test("the 413 reaches a client that keeps sending", async () => {
  const { text: received } = await sendRaw(server.port, [post(`Content-Length: ${maxBodyBytes * 20}\r\n`), Buffer.alloc(maxBodyBytes * 5)]);
  expect(statuses(received)).toEqual([413]);
});

test("chunks over the limit are rejected at the limit", async () => {
  const chunk = `2000\r\n${"x".repeat(0x2000)}\r\n`;
  const { text: received, closed } = await sendRaw(server.port, [post("Transfer-Encoding: chunked\r\n"), chunk.repeat(20)]);
  expect(statuses(received)).toEqual([413]);
  expect(closed).toBe(true);
  expect(calls).toEqual([]);
});

test("a request whose body stalls returns 408 after the time limit, and no longer counts as active", async () => {
  const { text: received, closed } = await sendRaw(shortTimeoutServer.port, post("Content-Length: 50\r\n", "abc"));
  expect(statuses(received)).toEqual([408]);
  expect(closed).toBe(true);
  expect(calls).toEqual([]);
  await expect.poll(() => shortTimeoutServer.ingress.active).toBe(0);
});

test("a head that stalls returns 408 too", async () => {
  const { text: received, closed } = await sendRaw(shortTimeoutServer.port, "POST /api/echo HTTP/1.1\r\nHos");
  expect(statuses(received)).toEqual([408]);
  expect(closed).toBe(true);
});

test("a client that disconnects before its body is complete starts no route", async () => {
  const socket = connect(server.port, "127.0.0.1");
  socket.write(post("Content-Length: 50\r\n", "abc"));
  await expect.poll(() => server.ingress.active).toBe(1);
  socket.destroy();
  await expect.poll(() => server.ingress.active).toBe(0);
  expect(calls).toEqual([]);
});

test("50 slow heads time out while others are served", async () => {
  const sockets = Array.from({ length: 50 }, () => connect(shortTimeoutServer.port, "127.0.0.1"));
  let closed = 0;
  for (const socket of sockets) {
    socket.on("error", () => undefined);
    socket.on("close", () => closed++);
    socket.on("data", () => undefined);
    socket.write("G");
  }
  const drip = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write("E")), 100);
  // On a very slow machine, the canary too may exceed the short timeout.
  await expect.poll(() => canary(shortTimeoutServer)).toEqual(healthy);
  await expect.poll(() => closed).toBe(50);
  clearInterval(drip);
});

test.each([
  ["gzip", gzipSync("packed")],
  ["x-gzip", gzipSync("packed")],
  ["deflate", deflateSync("packed")],
  ["deflate", deflateRawSync("packed")],
  ["br", brotliCompressSync("packed")],
  ["identity", Buffer.from("packed")],
])("a body in %s reaches the route decompressed", async (encoding, body) => {
  const reply = await fetch(url("/api/echo"), { method: "POST", headers: { "Content-Encoding": encoding }, body });
  expect([reply.status, await reply.text()]).toEqual([200, "packed"]);
});

test("a decompressed body has no Content-Encoding", async () => {
  const reply = await fetch(url("/api/headers"), { method: "POST", headers: { "Content-Encoding": "gzip" }, body: gzipSync("packed") });
  expect(Object.keys((await reply.json()) as object)).not.toContain("content-encoding");
});

test("the limit applies to decompressed bytes", async () => {
  const bomb = gzipSync(Buffer.alloc(80_000_000));
  expect(bomb.length).toBeLessThan(maxBodyBytes);
  const reply = await fetch(url("/api/echo"), { method: "POST", headers: { "Content-Encoding": "gzip" }, body: bomb });
  expect([reply.status, await reply.text()]).toEqual([413, `{"error":"request body exceeds ${maxBodyBytes} bytes"}`]);
  const exact = await fetch(url("/api/echo"), { method: "POST", headers: { "Content-Encoding": "gzip" }, body: gzipSync(Buffer.alloc(maxBodyBytes)) });
  expect([exact.status, (await exact.arrayBuffer()).byteLength]).toEqual([200, maxBodyBytes]);
});

test.each([
  ["compress", "x", 415],
  ["gzip, gzip", "x", 415],
  ["gzip", "not gzip", 400],
  ["br", "not brotli", 400],
])("content encoding '%s' with the body '%s' returns %i", async (encoding, body, status) => {
  const reply = await fetch(url("/api/echo"), { method: "POST", headers: { "Content-Encoding": encoding }, body });
  expect(reply.status).toBe(status);
  expect(calls).toEqual([]);
});

test("every byte is echoed as sent, up to the limit", async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  for (const body of [all, Buffer.alloc(0), randomBytes(maxBodyBytes - 1), randomBytes(maxBodyBytes)]) {
    const reply = await fetch(url("/api/echo"), { method: "POST", body });
    expect(reply.status).toBe(200);
    expect(Buffer.from(await reply.arrayBuffer()).equals(body)).toBe(true);
  }
});

test("sends 100 Continue only if the body is needed", async () => {
  const continued = await sendRaw(server.port, [post("Expect: 100-continue\r\nContent-Length: 5\r\n"), "hello"], { replies: 2 });
  expect(statuses(continued.text)).toEqual([100, 200]);
  expect(continued.text.endsWith("hello")).toBe(true);
  const tooLarge = await sendRaw(server.port, post(`Expect: 100-continue\r\nContent-Length: ${maxBodyBytes + 1}\r\n`));
  expect(statuses(tooLarge.text)).toEqual([413]);
  const notFound = await sendRaw(server.port, "POST /api/none HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  expect(statuses(notFound.text)).toEqual([404]);
  expect(notFound.closed).toBe(true);
});

test("a small unneeded body is skipped and the connection stays in sync", async () => {
  const { text: received } = await sendRaw(
    server.port,
    `POST /api/none HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello${post("Content-Length: 3\r\n", "yes")}`,
    { replies: 2 },
  );
  expect(statuses(received)).toEqual([404, 200]);
  expect(received.endsWith("yes")).toBe(true);
});

test("pipelined requests are answered in order", async () => {
  const { text: received } = await sendRaw(
    server.port,
    post("Content-Length: 1\r\n", "1") + post("Content-Length: 1\r\n", "2") + post("Content-Length: 1\r\n", "3"),
    { replies: 3 },
  );
  expect(statuses(received)).toEqual([200, 200, 200]);
  expect([...received.matchAll(/\r\n\r\n(\d)/g)].map((match) => match[1])).toEqual(["1", "2", "3"]);
});

test("header names that are special in JavaScript are plain data or dropped", async () => {
  const { text: received } = await sendRaw(
    server.port,
    "GET /api/headers HTTP/1.1\r\nHost: a\r\n__proto__: evil\r\nconstructor: c\r\nhasOwnProperty: h\r\n\r\n",
    { replies: 1 },
  );
  expect(JSON.parse(bodyOf(received))).toEqual({ host: "a", constructor: "c", hasownproperty: "h" });
  expect(({} as Record<string, unknown>)["evil"]).toBeUndefined();
});

test("every spelling of /_api belongs to the management API, even with a catch-all mounted", async () => {
  for (const path of [
    "/_api/flows",
    "/_api//flows",
    "/_API/flows",
    "/%5fapi/flows",
    "/_api/../_api/flows",
    "/_api/flows/",
    "//_api/flows",
    "/catch/../_api/flows",
    "/catch/%2e%2e/_api/flows",
  ]) {
    const { text: received } = await sendRaw(server.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`, { replies: 1 });
    expect(received, path).toContain("X-Api-Version: 1");
    expect(received, path).not.toContain("caught");
    expect(statuses(received), path).toEqual([/^\/_api\/(?!\.\.)/.test(path) ? 200 : 404]);
  }
  const { text: hidden } = await sendRaw(server.port, "GET /catch/%2e%2e%2f_api/flows HTTP/1.1\r\nHost: a\r\n\r\n", { replies: 1 });
  expect(statuses(hidden)).toEqual([400]);
  expect(await (await fetch(url("/catch/_api/x"))).text()).toBe("caught /catch/_api/x");
});

test.each([
  ["plain", "POST /api/late HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"],
  ["node:http", "POST /api/late?a=%20 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"],
  ["node:http, pipelined", "POST /api/late HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx".repeat(3)],
])("a client that has half-closed the connection gets the reply of a slow route (%s)", async (_reader, bytes) => {
  const unmount = server.mount("/api/late", async () => {
    // The server reads the end of the request before it replies to another client.
    expect(await canary(server)).toEqual(healthy);
    return text("late");
  });
  const socket = connect(server.port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.end(bytes);
  await closed;
  expect(statuses(received)).toEqual(bytes.match(/POST/g)?.map(() => 200));
  unmount();
});
