import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { sendRaw, statuses } from "@sluice/testkit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startListener, text, type ListenerUnderTest } from "./listener-under-test.ts";

const replyBytes = 192 * 1024;
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

let server: ListenerUnderTest;
let served = 0;
beforeEach(async () => {
  served = 0;
  server = await startListener({ limits: { sendTimeoutMs: 300 } });
  const big = (): ReturnType<typeof text> => {
    served++;
    return text("x".repeat(replyBytes));
  };
  server.mount("/big", big);
  server.mount("/item/{n}", big);
  server.mount("/echo", async ({ body }) => {
    served++;
    await new Promise((resolve) => setImmediate(resolve));
    return text(Buffer.from(body).toString("latin1"));
  });
});
afterEach(() => {
  vi.useRealTimers();
  return server.listener.drain(0);
});

/** Sends bytes and never reads. */
async function sendWithoutReading(bytes: string): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
  socket.pause();
  await new Promise<void>((resolve) => socket.write(bytes, "latin1", () => resolve()));
  return socket;
}

describe("a client that pipelines and does not read", () => {
  // The kernel buffers some replies: on this system up to about 6 MiB per connection.
  const maxServed = 60;

  it.each(["/big", "/item/7"])("%s is served only as far as replies are sent, and the client is disconnected", async (path) => {
    const socket = await sendWithoutReading(get(path).repeat(2_000));
    await expect.poll(() => served).toBeGreaterThan(0);
    await expect.poll(() => server.listener.connections).toBe(0);
    expect(served).toBeLessThan(maxServed);
    socket.destroy();
  });

  it("chunked bodies are served only as far as replies are sent, and the client is disconnected", async () => {
    const chunked = `POST /item/7 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n`;
    const socket = await sendWithoutReading((chunked + get("/item/8")).repeat(500));
    await expect.poll(() => server.listener.connections).toBe(0);
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(maxServed);
    socket.destroy();
  });
});

describe("the body of the reply to a request that cannot be read", () => {
  const unreadable = (method: string): string => `${method} /item/1 HTTP/1.1\r\na b: c\r\n\r\n`;
  const split = (text: string, at: number): string[] => [text.slice(0, at), text.slice(at)];
  const head = "HEAD /item/1 HTTP/1.1\r\nHost: a\r\n\r\n";
  const chunked = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";

  it.each([
    ["is sent after a HEAD request in two pieces", [...split(head, head.length - 2), unreadable("GET")], true],
    ["is sent if the method begins with HEAD", [unreadable("HEADS")], true],
    ["is omitted for HEAD", [unreadable("HEAD")], false],
    ["is omitted for HEAD in two pieces", split(unreadable("HEAD"), 2), false],
    ["is omitted for HEAD after an empty line", ["\r\n", unreadable("HEAD")], false],
    ["is omitted for HEAD after a chunked body in two pieces", [...split(chunked, chunked.length - 2), unreadable("HEAD")], false],
  ])("%s", async (_what, pieces, hasBody) => {
    const socket = connect(server.port, "127.0.0.1").setNoDelay(true);
    let reply = "";
    socket.on("data", (chunk) => (reply += chunk.toString("latin1"))).on("error", () => undefined);
    const closed = once(socket, "close");
    for (const piece of pieces) {
      socket.write(piece, "latin1");
      // The server, which is in this process, reads the piece, and replies if it ends a request.
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
    const last = reply.slice(reply.lastIndexOf("HTTP/1.1 "));
    expect([last.slice(0, 12), last.slice(last.indexOf("\r\n\r\n") + 4) !== ""]).toEqual(["HTTP/1.1 400", hasBody]);
  });
});

describe("a client that pipelines and reads", () => {
  const post = (body: string, framing: "length" | "chunks"): string =>
    framing === "length"
      ? `POST /echo?x=%20 HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      : `POST /echo?x=%20 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  /** Bodies with a head terminator, and with text that looks like a request. */
  const bodies = Array.from({ length: 40 }, (_, index) => `<${index}>\r\n\r\n${get("/big")}${"\r\n\r\n".repeat(index)}`);
  const indexesIn = (reply: string): string[] => [...reply.matchAll(/\r\n\r\n<(\d+)>/g)].map((match) => match[1] as string);

  it.each([1, 7, 100, 1_000, 65_536])("gets every reply in order, sent in pieces of %i bytes", async (size) => {
    const all = bodies.map((body, index) => post(body, index % 2 === 0 ? "length" : "chunks")).join("");
    const bytes = size === 1 ? all.slice(0, all.indexOf("<6>") + 500) : all;
    const expected = size === 1 ? 6 : 40;
    const socket = connect(server.port, "127.0.0.1").setNoDelay(true);
    let reply = "";
    socket.on("data", (chunk) => (reply += chunk.toString("latin1"))).on("error", () => undefined);
    for (let at = 0; at < bytes.length; at += size) {
      socket.write(bytes.slice(at, at + size), "latin1");
      if (at % (size * 50) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => indexesIn(reply).length).toBeGreaterThanOrEqual(expected);
    expect(indexesIn(reply).slice(0, expected)).toEqual(Array.from({ length: expected }, (_, index) => String(index)));
    expect(new Set(statuses(reply))).toEqual(new Set([200]));
    socket.destroy();
  });

  it("other clients are served between two of its requests", async () => {
    // The time of the queue that paces pipelined requests: each of them takes 5 ms, the length of a slice.
    vi.useFakeTimers({ toFake: ["performance"] });
    let servedBefore = -1;
    const other = connect(server.port, "127.0.0.1");
    await once(other, "connect");
    server.mount("/slow/{n}", () => {
      if (++served === 1) other.end(get("/other"));
      vi.advanceTimersByTime(5);
      return text("slow");
    });
    server.mount("/other", () => {
      servedBefore = served;
      return text("other");
    });
    const pipelined = sendRaw(server.port, get("/slow/1").repeat(200), { replies: 200 });
    await once(other.resume(), "close");
    expect(servedBefore).toBeGreaterThan(0);
    expect(servedBefore).toBeLessThan(100);
    expect(statuses((await pipelined).text)).toHaveLength(200);
  });
});
