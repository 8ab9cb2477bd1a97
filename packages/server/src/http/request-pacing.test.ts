import { connect, type Socket } from "node:net";
import { sendRaw, statuses } from "@sluice/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startListener, text, type ListenerUnderTest } from "./listener-under-test.ts";

const replyBytes = 192 * 1024;
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

let server: ListenerUnderTest;
let served = 0;
beforeEach(async () => {
  served = 0;
  server = await startListener({ limits: { sendTimeoutMs: 300, keepAliveTimeoutMs: 5_000 } });
  const big = (): ReturnType<typeof text> => {
    served++;
    return text("x".repeat(replyBytes));
  };
  server.mount("/big", big);
  server.mount("/item/{n}", big);
  server.mount("/echo", async ({ body }) => {
    served++;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return text(Buffer.from(body).toString("latin1"));
  });
});
afterEach(() => server.listener.drain(0));

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
    await expect.poll(() => served, { timeout: 5_000 }).toBeGreaterThan(0);
    await expect.poll(() => server.listener.connections, { timeout: 10_000 }).toBe(0);
    expect(served).toBeLessThan(maxServed);
    socket.destroy();
  });

  it("chunked bodies are served only as far as replies are sent, and the client is disconnected", async () => {
    const chunked = `POST /item/7 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n`;
    const socket = await sendWithoutReading((chunked + get("/item/8")).repeat(500));
    await expect.poll(() => server.listener.connections, { timeout: 10_000 }).toBe(0);
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(maxServed);
    socket.destroy();
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
    await expect.poll(() => indexesIn(reply).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(expected);
    expect(indexesIn(reply).slice(0, expected)).toEqual(Array.from({ length: expected }, (_, index) => String(index)));
    expect(new Set(statuses(reply))).toEqual(new Set([200]));
    socket.destroy();
  });

  it("other clients are served between two of its requests", async () => {
    let isOtherServed = false;
    let servedBefore = 0;
    server.mount("/slow/{n}", () => {
      served++;
      const until = performance.now() + 5;
      while (performance.now() < until);
      return text("slow");
    });
    server.mount("/other", () => {
      isOtherServed = true;
      servedBefore = served;
      return text("other");
    });
    const pipelined = sendRaw(server.port, get("/slow/1").repeat(200), 3_000);
    await expect.poll(() => served).toBeGreaterThan(0);
    const reply = await sendRaw(server.port, get("/other"), 100);
    expect(statuses(reply.text)).toEqual([200]);
    expect(isOtherServed).toBe(true);
    expect(servedBefore).toBeLessThan(150);
    expect(statuses((await pipelined).text)).toHaveLength(200);
  });
});
