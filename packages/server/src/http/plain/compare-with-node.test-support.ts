// Sends the same bytes to a listener with the fast path and to one without it: the replies must be equal.
import { connect } from "node:net";
import fc from "fast-check";
import { expect } from "vitest";
import { startListener, text, type ListenerUnderTest } from "../listener-under-test.ts";

const limits = { checkIntervalMs: 20, keepAliveTimeoutMs: 5_000, headersTimeoutMs: 5_000, requestTimeoutMs: 5_000, maxHeaderCount: 40 };

/** Sends this many random requests: in one piece, in two pieces (which node reads), and to a listener without the fast path. */
export async function compareWithNode(numRuns: number): Promise<void> {
  const fast = await startEcho(true);
  const node = await startEcho(false);
  let succeeded = 0;
  try {
    await fc.assert(
      fc.asyncProperty(requestBytes(), async (bytes) => {
        const [inOnePiece, inTwoPieces, byNode] = await Promise.all([
          send(fast.port, [bytes]),
          send(fast.port, [bytes.subarray(0, 3), bytes.subarray(3)]),
          send(node.port, [bytes]),
        ]);
        for (const other of [inTwoPieces, byNode]) {
          expect(withoutDate(inOnePiece.text)).toBe(withoutDate(other.text));
          expect(inOnePiece.closed).toBe(other.closed);
        }
        if (inOnePiece.text.startsWith("HTTP/1.1 200")) succeeded++;
      }),
      { numRuns },
    );
  } finally {
    await Promise.all([fast.listener.drain(0), node.listener.drain(0)]);
  }
  expect(succeeded).toBeGreaterThan(numRuns / 4);
}

async function startEcho(fastPath: boolean): Promise<ListenerUnderTest> {
  const server = await startListener({ limits, fastPath });
  server.mount("/api/echo", ({ method, path, query, rawHeaders, body }) =>
    text(JSON.stringify([method, path, query, rawHeaders, Buffer.from(body).toString("latin1")])),
  );
  return server;
}

function requestBytes(): fc.Arbitrary<Buffer> {
  const mostly = <T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>): fc.Arbitrary<T> =>
    fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: unusual });
  const name = mostly(
    fc.constantFrom("Accept", "X-A", "x_b", "CONTENT-TYPE", "Authorization", "__proto__", "Cookie", "Keep-Alive"),
    fc.constantFrom("Host", "Content-Length", "Connection", "TE", "Trailer", "X-\u00c4", "bad name", "", "Transfer-Encoding", "Upgrade", "Expect"),
  );
  const value = mostly(
    fc.constantFrom("", "a", "application/json", "text/plain; charset=utf-8", "  spaced  ", 'x"y', "a,b", "1:2"),
    fc.oneof(
      fc.constantFrom("keep-alive", "Keep-Alive", "close", "5", " 3 ", "+3", "3,3", "a\tb", "a\u0001b", "gr\u00fcn", "a\rb", "chunked"),
      fc.string({ maxLength: 12 }),
    ),
  );
  const target = mostly(
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
  const method = mostly(fc.constantFrom("POST", "GET", "PUT", "DELETE", "HEAD", "PATCH"), fc.constantFrom("OPTIONS", "post", "TRACE", "M-SEARCH"));
  const version = mostly(fc.constant("HTTP/1.1"), fc.constantFrom("HTTP/1.0", "HTTP/1.2", "http/1.1"));
  const colon = mostly(fc.constantFrom(": ", ":"), fc.constantFrom(" : ", ":\t", ""));
  const feed = mostly(fc.constant("\r\n"), fc.constantFrom("\n", "\r", "\r\n "));
  const headers = fc.array(fc.tuple(name, colon, value, feed), { maxLength: 4 });
  const body = fc.constantFrom("", "hello", "abc", '{"a":1}');
  const hasLength = mostly(fc.constant(true), fc.constant(false));
  return fc.tuple(fc.tuple(method, target, version), headers, body, hasLength).map(([line, fields, bodyText, isDeclared]) => {
    const content = isDeclared ? bodyText : "";
    const length = isDeclared ? `Content-Length: ${content.length}\r\n` : "";
    return Buffer.from(`${line.join(" ")}\r\nHost: a\r\n${length}${fields.map((parts) => parts.join("")).join("")}\r\n${content}`, "latin1");
  });
}

const withoutDate = (answer: string): string => answer.replaceAll(/Date: [^\r]*\r\n/g, "");

/** Sends the pieces and returns the reply. node:http reads a request whose first few bytes arrive separately. */
async function send(port: number, pieces: readonly Buffer[]): Promise<{ readonly text: string; readonly closed: boolean }> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let isClosed = false;
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  socket.on("close", () => (isClosed = true));
  socket.setNoDelay(true);
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 15));
    socket.write(piece);
  }
  let quiet = 0;
  for (let length = 0; quiet < 4 && !isClosed; length = received.length) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    quiet = received.length > 0 && received.length === length ? quiet + 1 : 0;
  }
  socket.destroy();
  return { text: received, closed: isClosed };
}
