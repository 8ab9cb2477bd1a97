import { connect, type Socket } from "node:net";
import { bodyOf, sendRaw, statuses } from "@sluice/testkit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startListener, text, type ListenerUnderTest } from "../listener-under-test.ts";
import { compareWithNode } from "./compare-with-node.test-support.ts";

let server: ListenerUnderTest;
afterEach(() => {
  vi.useRealTimers();
  return server.listener.drain(0);
});

const limits = { checkIntervalMs: 20, maxHeaderCount: 40 };
let calls: string[];

beforeEach(async () => {
  calls = [];
  server = await startListener({ limits });
  server.mount("/api/echo", ({ method, path, query, rawHeaders, body }) => {
    calls.push(`${method} ${path}`);
    return text(JSON.stringify([method, path, query, rawHeaders, Buffer.from(body).toString("latin1")]));
  });
});

/** A client that records everything it receives. */
function client(): { readonly socket: Socket; readonly received: () => string; readonly isClosed: () => boolean } {
  const socket = connect(server.port, "127.0.0.1");
  let received = "";
  let isClosed = false;
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  socket.on("close", () => (isClosed = true));
  return { socket, received: () => received, isClosed: () => isClosed };
}

const request = (path: string, body = "", headers = ""): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;

/** Replies to another client; the server has then read what other clients sent before. */
async function serveAnother(): Promise<void> {
  const another = client();
  another.socket.end(request("/api/echo", "another"));
  await expect.poll(another.isClosed).toBe(true);
}

/** Mounts a route whose reply is held back until the returned function is called. */
function mountHeld(path: string): () => void {
  let release = (): void => undefined;
  server.mount(path, () => new Promise((resolve) => (release = () => resolve(text("held")))));
  return () => release();
}

test("status, headers and body equal those of node:http for random requests", () => compareWithNode({ numRuns: 60 }));

test("waits for a body in a second packet, and passes a request without its body to node:http", async () => {
  const { socket, received } = client();
  const [head = "", body = ""] = request("/api/echo", "hello").split("hello");
  socket.write(head);
  await serveAnother();
  expect(calls).toEqual(["POST /api/echo"]);
  socket.write(`hello${body}`);
  await expect.poll(received).toContain('"hello"]');
  const slow = client();
  slow.socket.write(head);
  await expect.poll(() => server.ingress.active).toBe(1);
  slow.socket.destroy();
  await expect.poll(() => server.ingress.active).toBe(0);
  expect(calls).toEqual(["POST /api/echo", "POST /api/echo"]);
  socket.destroy();
});

test("answers pipelined requests in order, even for a half-closed client", async () => {
  const release = mountHeld("/api/held");
  const { socket, received, isClosed } = client();
  socket.write(request("/api/held"));
  await expect.poll(() => server.ingress.active).toBe(1);
  socket.write(request("/api/echo", "second"));
  socket.write(request("/api/echo", "third"));
  await serveAnother();
  expect(received()).toBe("");
  release();
  await expect.poll(() => statuses(received())).toEqual([200, 200, 200]);
  expect(received().indexOf("held")).toBeLessThan(received().indexOf("second"));
  expect(received().indexOf("second")).toBeLessThan(received().indexOf("third"));

  const ending = client();
  ending.socket.end(request("/api/held"));
  await expect.poll(() => server.ingress.active).toBe(1);
  await serveAnother();
  release();
  await expect.poll(ending.isClosed).toBe(true);
  expect(ending.received()).toContain("Connection: close\r\n");
  expect(bodyOf(ending.received())).toBe("held");
  expect(isClosed()).toBe(false);
  socket.destroy();
});

test("frames every kind of reply so that the next one on the connection can be read", async () => {
  async function* pieces(): AsyncIterable<Uint8Array> {
    yield Buffer.from("one ");
    yield Buffer.alloc(0);
    yield Buffer.from("two");
  }
  server.mount("/api/wide", () => ({ status: 200, headers: { "X-Latin": "gr\u00fcn" }, body: "gr\u00fcn \u20ac" }));
  server.mount("/api/wide-body", () => ({ status: 200, headers: undefined, body: "\u20ac" }));
  server.mount("/api/bytes", () => ({ status: 201, headers: undefined, body: Uint8Array.of(0, 255) }));
  server.mount("/api/nothing", () => ({ status: 204, headers: undefined, body: "ignored" }));
  server.mount("/api/dated", () => ({ status: 200, headers: { Date: "Thu, 01 Jan 1970 00:00:00 GMT" }, body: "old" }));
  server.mount("/api/pieces", () => ({ status: 200, headers: undefined, body: pieces() }));
  const { socket, received } = client();
  let expected = 0;
  for (const path of ["wide", "wide-body", "bytes", "nothing", "dated", "pieces", "wide"]) {
    socket.write(request(`/api/${path}`));
    await expect.poll(() => statuses(received()).length).toBe(++expected);
    if (path === "pieces") await expect.poll(received).toContain("4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n");
  }
  socket.write("HEAD /api/wide HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => statuses(received()).length).toBe(8);
  const reply = received();
  expect(statuses(reply)).toEqual([200, 200, 201, 204, 200, 200, 200, 200]);
  expect(reply).toContain("X-Latin: gr\u00fcn\r\nContent-Length: 9\r\n");
  expect(reply).toContain(Buffer.from("gr\u00fcn \u20ac").toString("latin1"));
  expect(reply).toContain("Content-Length: 2\r\n");
  expect(reply).toContain("\r\n\r\n\u0000\u00ff");
  expect(reply).not.toContain("ignored");
  expect([...reply.matchAll(/Date: /g)]).toHaveLength(8);
  expect(reply.endsWith("\r\n\r\n")).toBe(true);
  socket.destroy();
});

test("stops reading a stream when the client disconnects, and a failing source closes the connection", async () => {
  let ended = 0;
  async function* endless(): AsyncIterable<Uint8Array> {
    try {
      for (;;) {
        yield Buffer.from("tick");
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      ended++;
    }
  }
  async function* failing(): AsyncIterable<Uint8Array> {
    yield Buffer.from("part");
    throw new Error("lost");
  }
  server.mount("/api/endless", () => ({ status: 200, headers: undefined, body: endless() }));
  server.mount("/api/failing", () => ({ status: 200, headers: undefined, body: failing() }));
  const { socket, received } = client();
  socket.write(request("/api/endless"));
  await expect.poll(received).toContain("tick");
  socket.destroy();
  await expect.poll(() => ended).toBe(1);
  const failed = client();
  failed.socket.write(request("/api/failing"));
  await expect.poll(failed.isClosed).toBe(true);
  expect(failed.received()).toContain("part");
  expect(failed.received()).not.toContain("0\r\n\r\n");
});

test("stops reading from a client that does not read, and disconnects it after the time limit", async () => {
  await server.listener.drain(0);
  server = await startListener({ limits: { ...limits, sendTimeoutMs: 300 } });
  const large = "x".repeat(1_000_000);
  let served = 0;
  server.mount("/api/large", () => {
    served++;
    return text(large);
  });
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  let isClosed = false;
  socket.on("close", () => (isClosed = true));
  socket.pause();
  for (let count = 0; count < 200; count++) {
    socket.write(request("/api/large"));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => server.listener.connections).toBe(0);
  expect(served).toBeLessThan(50);
  socket.resume();
  await expect.poll(() => isClosed).toBe(true);
});

test("closes silent connections: new ones with 408, idle ones without a reply", async () => {
  await server.listener.drain(0);
  server = await startListener({ limits: { ...limits, headersTimeoutMs: 100, keepAliveTimeoutMs: 400 } });
  server.mount("/api/r", () => text("r"));
  const silent = client();
  const used = client();
  used.socket.write(request("/api/r"));
  await expect.poll(silent.isClosed).toBe(true);
  expect(statuses(silent.received())).toEqual([408]);
  await expect.poll(used.isClosed).toBe(true);
  expect(statuses(used.received())).toEqual([200]);
});

test("without a time limit silent connections stay open, and no timeout is announced", async () => {
  await server.listener.drain(0);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  server = await startListener({ limits: { ...limits, headersTimeoutMs: 0, requestTimeoutMs: 0, keepAliveTimeoutMs: 0 } });
  server.mount("/api/r", () => text("r"));
  const silent = client();
  const used = client();
  used.socket.write(request("/api/r"));
  await expect.poll(used.received).toContain("\r\n\r\nr");
  expect(used.received()).toContain("Connection: keep-alive\r\n\r\n");
  vi.advanceTimersByTime(3_600_000);
  for (const { socket } of [silent, used]) socket.write(request("/api/r"));
  await expect.poll(() => [silent, used].map(({ received }) => statuses(received()))).toEqual([[200], [200, 200]]);
  for (const { socket } of [silent, used]) socket.destroy();
});

test("a slow client gets its whole reply, long after the last request", async () => {
  await server.listener.drain(0);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  server = await startListener({ limits: { ...limits, keepAliveTimeoutMs: 100 } });
  const large = "x".repeat(20_000_000);
  server.mount("/api/large", () => text(large));
  const socket = connect(server.port, "127.0.0.1");
  let length = 0;
  let isClosed = false;
  socket.on("close", () => (isClosed = true));
  socket.on("data", (chunk) => {
    length += chunk.length;
    socket.pause();
    vi.advanceTimersByTime(1_000);
    setImmediate(() => socket.resume());
  });
  socket.write(request("/api/large"));
  await expect.poll(() => length > large.length || isClosed).toBe(true);
  expect(length).toBeGreaterThan(large.length);
  socket.destroy();
});

test("replies at once when the head is enough, and ignores an empty line after a body", async () => {
  await server.listener.drain(0);
  server = await startListener({
    limits: { ...limits, checkIntervalMs: 3_600_000, maxBodyBytes: 1_000 },
    accessOf: (flowId) => (flowId === "guarded" ? { check: () => ({ kind: "denied", code: "unauthorized", message: "unauthorized" }) } : undefined),
  });
  server.mount("/api/open", () => text("open"));
  server.mount("/api/guarded", () => text("guarded"), { flowId: "guarded" });
  const head = (path: string, length: number): string => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
  const tooLong = client();
  tooLong.socket.write(head("/api/open", 5_000));
  const unauthorized = client();
  unauthorized.socket.write(head("/api/guarded", 900));
  const valid = client();
  valid.socket.write(request("/api/open", "x"));
  await expect.poll(() => [tooLong, unauthorized, valid].map(({ received }) => statuses(received()))).toEqual([[413], [401], [200]]);
  valid.socket.write("\r\n");
  await serveAnother();
  valid.socket.write(request("/api/open", "y"));
  await expect.poll(() => statuses(valid.received())).toEqual([200, 200]);
  for (const { socket } of [tooLong, unauthorized, valid]) socket.destroy();
});

test("an invalid reply head returns 500, for buffered and streamed replies", async () => {
  async function* pieces(): AsyncIterable<Uint8Array> {
    yield Buffer.from("one");
  }
  const headers = { "X-Number": 5 as unknown as string };
  server.mount("/api/whole", () => ({ status: 200, headers, body: "x" }));
  server.mount("/api/pieces", () => ({ status: 200, headers, body: pieces() }));
  for (const path of ["/api/whole", "/api/pieces"]) expect(statuses((await sendRaw(server.port, request(path), { replies: 1 })).text)).toEqual([500]);
  expect(server.faults).toHaveLength(2);
});

test("serves a request whose head arrived before draining began and whose body arrives after", async () => {
  const { socket, received } = client();
  const [head = ""] = request("/api/echo", "hello").split("hello");
  socket.write(head);
  await serveAnother();
  const drained = server.listener.drain(120_000);
  await expect.poll(() => server.ingress.active).toBe(1);
  socket.write("hello");
  expect(await drained).toEqual({ unanswered: 0, cut: 0 });
  expect(statuses(received())).toEqual([200]);
});

test("a reply in flight when draining begins closes the connection", async () => {
  const release = mountHeld("/api/held");
  const { socket, received, isClosed } = client();
  socket.write(request("/api/held"));
  await expect.poll(() => server.ingress.active).toBe(1);
  const idle = client();
  idle.socket.write(request("/api/echo"));
  await expect.poll(idle.received).toContain("200 OK");
  const drained = server.listener.drain(120_000);
  release();
  expect(await drained).toEqual({ unanswered: 0, cut: 0 });
  await expect.poll(() => [isClosed(), idle.isClosed()]).toEqual([true, true]);
  expect(received()).toContain("Connection: close\r\n");
  expect(bodyOf(received())).toBe("held");
});
