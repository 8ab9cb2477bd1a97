import { connect, type Socket } from "node:net";
import { bodyOf, sendRaw, statuses } from "@sluice/testkit";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startListener, text, type ListenerUnderTest } from "../listener-under-test.ts";

let server: ListenerUnderTest;
afterEach(() => server.listener.drain(0));

const limits = { checkIntervalMs: 20, keepAliveTimeoutMs: 5_000, headersTimeoutMs: 5_000, requestTimeoutMs: 5_000, maxHeaderCount: 40 };
let handed: string[];
/** More by hand: `SLUICE_RUNS=5000`. */
const numRuns = Number(process.env["SLUICE_RUNS"] ?? 60);

beforeEach(async () => {
  handed = [];
  server = await startListener({ limits });
  server.mount("/api/echo", ({ method, path, query, rawHeaders, body }) => {
    handed.push(`${method} ${path}`);
    return text(JSON.stringify([method, path, query, rawHeaders, Buffer.from(body).toString("latin1")]));
  });
});

/** A client that keeps all it was sent. */
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
const withoutDate = (answer: string): string => answer.replaceAll(/Date: [^\r]*\r\n/g, "");

/** A reply held back until it is asked for. */
function mountHeld(path: string): () => void {
  let release = (): void => undefined;
  server.mount(path, () => new Promise((resolve) => (release = () => resolve(text("held")))));
  return () => release();
}

/** What comes back for bytes of which the first few come alone: node reads such a request. */
async function sendInTwo(bytes: Buffer): Promise<{ readonly text: string; readonly closed: boolean }> {
  const { socket, received, isClosed } = client();
  socket.setNoDelay(true);
  socket.write(bytes.subarray(0, 3));
  await new Promise((resolve) => setTimeout(resolve, 15));
  socket.write(bytes.subarray(3));
  let quiet = 0;
  for (let length = 0; quiet < 4 && !isClosed(); length = received().length) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    quiet = received().length > 0 && received().length === length ? quiet + 1 : 0;
  }
  socket.destroy();
  return { text: received(), closed: isClosed() };
}

test(
  "whatever is read here, node reads the same: status, headers and body are equal for requests of every shape",
  async () => {
    const seldom = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
      fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
    const name = seldom(
      fc.constantFrom("Accept", "X-A", "x_b", "CONTENT-TYPE", "Authorization", "__proto__", "Cookie", "Keep-Alive"),
      fc.constantFrom("Host", "Content-Length", "Connection", "TE", "Trailer", "X-\u00c4", "bad name", "", "Transfer-Encoding", "Upgrade", "Expect"),
    );
    const value = seldom(
      fc.constantFrom("", "a", "application/json", "text/plain; charset=utf-8", "  spaced  ", 'x"y', "a,b", "1:2"),
      fc.oneof(
        fc.constantFrom("keep-alive", "Keep-Alive", "close", "5", " 3 ", "+3", "3,3", "a\tb", "a\u0001b", "gr\u00fcn", "a\rb", "chunked"),
        fc.string({ maxLength: 12 }),
      ),
    );
    const target = seldom(
      fc.constantFrom("/api/echo", "/api/echo?a=1&b=%20", "/api/echo?"),
      fc.constantFrom(
        "/api//echo",
        "/api/../api/echo",
        "/api/ech%6f",
        "/api/echo#x",
        "/none",
        "/_api/x",
        "*",
        "http://a/api/echo",
        "/api/echo?\u00fc",
        '/api/echo?"',
      ),
    );
    const method = seldom(fc.constantFrom("POST", "GET", "PUT", "DELETE", "HEAD", "PATCH"), fc.constantFrom("OPTIONS", "post", "TRACE", "M-SEARCH"));
    const version = seldom(fc.constant("HTTP/1.1"), fc.constantFrom("HTTP/1.0", "HTTP/1.2", "http/1.1"));
    const colon = seldom(fc.constantFrom(": ", ":"), fc.constantFrom(" : ", ":\t", ""));
    const feed = seldom(fc.constant("\r\n"), fc.constantFrom("\n", "\r", "\r\n "));
    const headers = fc.array(fc.tuple(name, colon, value, feed), { maxLength: 4 });
    const body = fc.constantFrom("", "hello", "abc", '{"a":1}');
    const declares = seldom(fc.constant(true), fc.constant(false));
    let equal = 0;
    await fc.assert(
      fc.asyncProperty(fc.tuple(method, target, version), headers, body, declares, async (line, fields, written, isDeclared) => {
        const content = isDeclared ? written : "";
        const declared = isDeclared ? `Content-Length: ${content.length}\r\n` : "";
        const bytes = Buffer.from(`${line.join(" ")}\r\nHost: a\r\n${declared}${fields.map((parts) => parts.join("")).join("")}\r\n${content}`, "latin1");
        const [whole, split] = await Promise.all([sendRaw(server.port, bytes, 50), sendInTwo(bytes)]);
        expect(withoutDate(whole.text)).toBe(withoutDate(split.text));
        expect(whole.closed).toBe(split.closed);
        if (whole.text.startsWith("HTTP/1.1 200")) equal++;
      }),
      { numRuns },
    );
    expect(equal).toBeGreaterThan(numRuns / 4);
  },
  60_000 + numRuns * 1_000,
);

test("a body in a second packet is waited for, one that does not come is left to node's time limit", async () => {
  const { socket, received } = client();
  const [head = "", body = ""] = request("/api/echo", "hello").split("hello");
  socket.write(head);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(handed).toEqual([]);
  socket.write(`hello${body}`);
  await expect.poll(received).toContain('"hello"]');
  const slow = client();
  slow.socket.write(head);
  await expect.poll(() => server.ingress.active).toBe(1);
  slow.socket.destroy();
  await expect.poll(() => server.ingress.active).toBe(0);
  expect(handed).toEqual(["POST /api/echo"]);
  socket.destroy();
});

test("requests sent before the reply of the first are answered in order, and a client that has ended still gets its reply", async () => {
  const release = mountHeld("/api/held");
  const { socket, received, isClosed } = client();
  socket.write(request("/api/held"));
  await expect.poll(() => server.ingress.active).toBe(1);
  socket.write(request("/api/echo", "second"));
  socket.write(request("/api/echo", "third"));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(received()).toBe("");
  release();
  await expect.poll(() => statuses(received())).toEqual([200, 200, 200]);
  expect(received().indexOf("held")).toBeLessThan(received().indexOf("second"));
  expect(received().indexOf("second")).toBeLessThan(received().indexOf("third"));

  const ending = client();
  ending.socket.end(request("/api/held"));
  await expect.poll(() => server.ingress.active).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  release();
  await expect.poll(ending.isClosed).toBe(true);
  expect(ending.received()).toContain("Connection: close\r\n");
  expect(bodyOf(ending.received())).toBe("held");
  expect(isClosed()).toBe(false);
  socket.destroy();
});

test("text beyond ASCII, bytes, nothing, HEAD and pieces: every reply is framed so that the next one on the connection is read", async () => {
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
  const answer = received();
  expect(statuses(answer)).toEqual([200, 200, 201, 204, 200, 200, 200, 200]);
  expect(answer).toContain("X-Latin: gr\u00fcn\r\nContent-Length: 9\r\n");
  expect(answer).toContain(Buffer.from("gr\u00fcn \u20ac").toString("latin1"));
  expect(answer).toContain("Content-Length: 2\r\n");
  expect(answer).toContain("\r\n\r\n\u0000\u00ff");
  expect(answer).not.toContain("ignored");
  expect([...answer.matchAll(/Date: /g)]).toHaveLength(8);
  expect(answer.endsWith("\r\n\r\n")).toBe(true);
  socket.destroy();
});

test("pieces stop being asked for when the client leaves, and a source that fails cuts the connection", async () => {
  let ended = 0;
  async function* endless(): AsyncIterable<Uint8Array> {
    try {
      for (;;) {
        yield Buffer.from("tick");
        await new Promise((resolve) => setTimeout(resolve, 5));
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
  const cut = client();
  cut.socket.write(request("/api/failing"));
  await expect.poll(cut.isClosed).toBe(true);
  expect(cut.received()).toContain("part");
  expect(cut.received()).not.toContain("0\r\n\r\n");
});

test("a client that asks on without reading is not read any more, and is cut when it takes nothing", async () => {
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
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(served).toBeLessThan(50);
  await expect.poll(() => server.listener.connections).toBe(0);
  socket.resume();
  await expect.poll(() => isClosed).toBe(true);
});

test("connections that say nothing are closed: the new ones with a word, those between two requests without", async () => {
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

test("without a limit in time silent connections stay, and none is promised", async () => {
  await server.listener.drain(0);
  server = await startListener({ limits: { ...limits, headersTimeoutMs: 0, requestTimeoutMs: 0, keepAliveTimeoutMs: 0 } });
  server.mount("/api/r", () => text("r"));
  const silent = client();
  const used = client();
  used.socket.write(request("/api/r"));
  await expect.poll(used.received).toContain("\r\n\r\nr");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([silent.isClosed(), used.isClosed()]).toEqual([false, false]);
  expect(used.received()).toContain("Connection: keep-alive\r\n\r\n");
  for (const { socket } of [silent, used]) socket.destroy();
});

test("a client that takes its reply slowly gets all of it, however long after the last request", async () => {
  await server.listener.drain(0);
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
    setTimeout(() => socket.resume(), 4);
  });
  socket.write(request("/api/large"));
  await expect.poll(() => length > large.length || isClosed, { timeout: 30_000 }).toBe(true);
  expect(length).toBeGreaterThan(large.length);
  socket.destroy();
}, 40_000);

test("what the head alone decides is answered at once, and an empty line behind a body is nothing", async () => {
  await server.listener.drain(0);
  server = await startListener({
    limits: { ...limits, checkIntervalMs: 5_000, maxBodyBytes: 1_000 },
    accessOf: (flowId) => (flowId === "guarded" ? { check: () => ({ kind: "refused", status: 401, error: "unauthorized" }) } : undefined),
  });
  server.mount("/api/open", () => text("open"));
  server.mount("/api/guarded", () => text("guarded"), { flowId: "guarded" });
  const head = (path: string, length: number): string => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
  const tooLong = client();
  tooLong.socket.write(head("/api/open", 5_000));
  const unknown = client();
  unknown.socket.write(head("/api/guarded", 900));
  const neat = client();
  neat.socket.write(request("/api/open", "x"));
  await expect.poll(() => [tooLong, unknown, neat].map(({ received }) => statuses(received())), { timeout: 2_000 }).toEqual([[413], [401], [200]]);
  neat.socket.write("\r\n");
  await new Promise((resolve) => setTimeout(resolve, 20));
  neat.socket.write(request("/api/open", "y"));
  await expect.poll(() => statuses(neat.received())).toEqual([200, 200]);
  for (const { socket } of [tooLong, unknown, neat]) socket.destroy();
});

test("a head that cannot be written is a 500, for whole replies and for pieces", async () => {
  async function* pieces(): AsyncIterable<Uint8Array> {
    yield Buffer.from("one");
  }
  const headers = { "X-Number": 5 as unknown as string };
  server.mount("/api/whole", () => ({ status: 200, headers, body: "x" }));
  server.mount("/api/pieces", () => ({ status: 200, headers, body: pieces() }));
  for (const path of ["/api/whole", "/api/pieces"]) expect(statuses((await sendRaw(server.port, request(path))).text)).toEqual([500]);
  expect(server.faults).toHaveLength(2);
});

test("a request whose head came before the end began is served, although its body comes after", async () => {
  const { socket, received } = client();
  const [head = ""] = request("/api/echo", "hello").split("hello");
  socket.write(head);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const drained = server.listener.drain(5_000);
  await expect.poll(() => server.ingress.active).toBe(1);
  socket.write("hello");
  expect(await drained).toEqual({ unanswered: 0, cut: 0 });
  expect(statuses(received())).toEqual([200]);
});

test("a reply under way when the end begins says that the connection closes, and closes it", async () => {
  const release = mountHeld("/api/held");
  const { socket, received, isClosed } = client();
  socket.write(request("/api/held"));
  await expect.poll(() => server.ingress.active).toBe(1);
  const idle = client();
  idle.socket.write(request("/api/echo"));
  await expect.poll(idle.received).toContain("200 OK");
  const drained = server.listener.drain(5_000);
  release();
  expect(await drained).toEqual({ unanswered: 0, cut: 0 });
  await expect.poll(() => [isClosed(), idle.isClosed()]).toEqual([true, true]);
  expect(received()).toContain("Connection: close\r\n");
  expect(bodyOf(received())).toBe("held");
});
