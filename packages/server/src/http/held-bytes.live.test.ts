import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { sendRaw, statuses } from "@sluice/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultBytesHeld } from "../http-settings.ts";
import { startListener, text, type ListenerUnderTest } from "./listener-under-test.ts";

const maxBodyBytesHeld = 1_000_000;
const maxBodyBytes = 400_000;
let server: ListenerUnderTest;
let waiting: (() => void)[] = [];
let bodies: number[] = [];

beforeEach(async () => {
  waiting = [];
  bodies = [];
  server = await startListener({
    limits: { maxBodyBytes, maxBodyBytesHeld },
    management: async (call, respond) => {
      const body = await call.readBody();
      await new Promise<void>((resolve) => waiting.push(resolve));
      respond.json(200, { bytes: body.length });
    },
  });
  server.mount("/waits", ({ body }) => {
    bodies.push(body.length);
    return new Promise((resolve) => waiting.push(() => resolve(text("done"))));
  });
  server.mount("/later", ({ body }) => {
    bodies.push(body.length);
    return { ...text("accepted", 202), runEnds: new Promise<void>((resolve) => waiting.push(resolve)) };
  });
  server.mount("/empty", () => text("fine"));
  server.mount("/echo", ({ body }) => ({ status: 200, headers: undefined, body }));
});
afterEach(() => server.listener.drain(0));

const post = (path: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<{ status: number; retryAfter: string | undefined }> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ port: server.port, path, method: "POST", agent: false, headers }, (incoming) =>
      incoming.resume().on("end", () => resolve({ status: incoming.statusCode ?? 0, retryAfter: incoming.headers["retry-after"] })),
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
const finishAll = (): void => {
  for (const finish of waiting.splice(0)) finish();
};
const held = (): number => server.bytes.held.held;
const busy = { status: 503, retryAfter: "1" };

test.each([
  ["gzip", 3, gzipSync],
  ["deflate", 3, deflateSync],
  // Brotli has no maximum ratio, so the largest body must fit.
  ["br", 2, brotliCompressSync],
] as const)("bodies in %s that inflate beyond the memory limit are rejected, and the memory is released", async (encoding, accepted, pack) => {
  const packed = pack(Buffer.alloc(300_000));
  const calls = Array.from({ length: 20 }, () => post("/waits", packed, { "content-encoding": encoding }));
  await expect.poll(() => server.bytes.held.refused).toBe(20 - accepted);
  expect(bodies).toEqual(Array.from({ length: accepted }, () => 300_000));
  expect(held()).toBe(accepted * 300_000);
  expect((await post("/empty", Buffer.alloc(0))).status).toBe(200);
  finishAll();
  const replies = await Promise.all(calls);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(accepted);
  expect(replies.filter(({ status }) => status === 503)).toEqual(Array.from({ length: 20 - accepted }, () => busy));
  expect(held()).toBe(0);
});

test("serves many small compressed bodies at once", async () => {
  const packed = gzipSync(Buffer.alloc(2_000));
  const calls = Array.from({ length: 200 }, () => post("/waits", packed, { "content-encoding": "gzip" }));
  await expect.poll(() => bodies.length).toBe(200);
  finishAll();
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(held()).toBe(0);
});

test("counts the bodies of plain requests, and rejects further requests with any kind of body while the budget is used up", async () => {
  const small = Buffer.alloc(60_000);
  const plain = Array.from({ length: 16 }, () => post("/waits", small));
  await expect.poll(() => bodies.length).toBe(16);
  expect(held()).toBe(960_000);
  expect(await post("/waits", small)).toEqual(busy);
  expect(await post("/waits", small, { "transfer-encoding": "chunked" })).toEqual(busy);
  expect(await post("/waits", Buffer.alloc(200_000))).toEqual(busy);
  const withContinue = "POST /waits HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 300000\r\n\r\n";
  expect(statuses((await sendRaw(server.port, withContinue)).text)).toEqual([503]);
  finishAll();
  await Promise.all(plain);
  expect(held()).toBe(0);
});

test("counts a body as it is received, and releases it when the client disconnects or is rejected", async () => {
  const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
  socket.write("POST /waits HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n");
  socket.write(Buffer.alloc(250_000));
  await expect.poll(held).toBe(250_000);
  socket.destroy();
  await expect.poll(held).toBe(0);
  expect((await post("/waits", Buffer.alloc(maxBodyBytes + 1), { "transfer-encoding": "chunked" }).catch(() => ({ status: 413 }))).status).toBe(413);
  expect((await post("/waits", Buffer.from("no gzip"), { "content-encoding": "gzip" })).status).toBe(400);
  expect(held()).toBe(0);
});

test("a run that continues after its reply keeps its body counted", async () => {
  expect((await post("/later", Buffer.alloc(300_000))).status).toBe(202);
  expect(held()).toBe(300_000);
  finishAll();
  await expect.poll(held).toBe(0);
});

test("bodies of the management API are counted until the call ends", async () => {
  const call = post("/_api/flows", gzipSync(Buffer.alloc(300_000)), { "content-encoding": "gzip" });
  await expect.poll(() => waiting.length).toBe(1);
  expect(held()).toBeGreaterThan(300_000);
  finishAll();
  expect((await call).status).toBe(200);
  expect(held()).toBe(0);
});

test("pipelined bytes are counted, and released with the connection", async () => {
  const pipelined = "GET /waits HTTP/1.1\r\nHost: a\r\nX: %20\r\n\r\n".repeat(500);
  const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
  socket.write(pipelined);
  await expect.poll(() => waiting.length).toBe(1);
  await expect.poll(held).toBeGreaterThan(10_000);
  socket.resetAndDestroy();
  finishAll();
  await expect.poll(held).toBe(0);
});

test("a body sent in single bytes is received completely", async () => {
  const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, index) => index % 251));
  const chunks = [...bytes].map((byte) => Buffer.concat([Buffer.from("1\r\n"), Buffer.from([byte]), Buffer.from("\r\n")]));
  const head = Buffer.from("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
  const { text: answer } = await sendRaw(server.port, Buffer.concat([head, ...chunks, Buffer.from("0\r\n\r\n")]));
  expect(Buffer.from(answer.slice(answer.indexOf("\r\n\r\n") + 4), "latin1").equals(bytes)).toBe(true);
});

test("disconnects clients that do not read when too many replies are unsent, and serves the others", async () => {
  const body = "x".repeat(390_000);
  const sockets: Socket[] = [];
  // The kernel buffers some of the replies, more on one system than on another.
  await expect
    .poll(() => {
      const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
      socket.pause();
      for (let repeat = 0; repeat < 20; repeat++) socket.write(`POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      sockets.push(socket);
      return server.bytes.unsent.cut;
    })
    .toBeGreaterThan(0);
  expect(server.bytes.unsent.bytes).toBeLessThanOrEqual(maxBodyBytesHeld / 2);
  expect((await post("/empty", Buffer.alloc(0))).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => server.bytes.unsent.bytes).toBe(0);
});

test("the default budget depends on memory, workers and the largest body", () => {
  const mebibyte = 1024 * 1024;
  const settings = { maxBody: 2 * mebibyte, workers: 1 };
  expect(defaultBytesHeld(settings, 64 * 1024 * mebibyte)).toBe(64 * mebibyte);
  expect(defaultBytesHeld(settings, 512 * mebibyte)).toBe(32 * mebibyte);
  expect(defaultBytesHeld(settings, 64 * mebibyte)).toBe(16 * mebibyte);
  expect(defaultBytesHeld({ ...settings, workers: 4 }, 512 * mebibyte)).toBe(8 * mebibyte);
  expect(defaultBytesHeld({ maxBody: 100 * mebibyte, workers: 4 }, 512 * mebibyte)).toBe(200 * mebibyte);
});
