// Sends the same bytes to a listener with the fast path and to one without it: the replies must be equal.
import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { expect, vi } from "vitest";
import { startListener, text, type ListenerUnderTest } from "../listener-under-test.ts";

const limits = { maxHeaderCount: 40 };
/** Longer than the fast path waits for the rest of a body before node:http takes over. */
const bodyWaitMs = 100;
/** Turns of the event loop without a byte after which no more are expected: client and server run in this process. */
const quietTurns = 25;

interface Sent {
  readonly bytes: Buffer;
  /** Where the bytes are split into pieces that arrive one after the other. */
  readonly splits: readonly number[];
}

/**
 * Sends this many random connections: one or several requests, some of them with changed bytes, split at random places and in one piece. The replies of
 * the fast path must be those of node:http.
 */
export async function compareWithNode(settings: { readonly numRuns: number; readonly seed?: number }): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const fast = await startEcho(true);
  const node = await startEcho(false);
  let succeeded = 0;
  try {
    await fc.assert(
      fc.asyncProperty(connectionBytes(), async ({ bytes, splits }) => {
        // The splits matter: an error in data that arrived before the previous reply was sent closes the connection without a reply.
        const [inOnePiece] = await Promise.all(
          [[bytes], piecesOf(bytes, splits)].map(async (pieces) => {
            const [ours, nodes] = await Promise.all([send(fast.port, pieces), send(node.port, pieces)]);
            expect(ours, JSON.stringify(pieces.map((piece) => piece.toString("latin1")))).toEqual(nodes);
            return ours;
          }),
        );
        if (inOnePiece?.text.startsWith("HTTP/1.1 200") === true) succeeded++;
      }),
      settings,
    );
  } finally {
    vi.useRealTimers();
    await Promise.all([fast.listener.drain(0), node.listener.drain(0)]);
  }
  expect(succeeded).toBeGreaterThan(settings.numRuns / 4);
}

const piecesOf = (bytes: Buffer, splits: readonly number[]): readonly Buffer[] =>
  [0, ...splits].map((from, index) => bytes.subarray(from, splits[index] ?? bytes.length)).filter(({ length }) => length > 0);

/** One to four requests on one connection; in a quarter of the cases some bytes are replaced, inserted or removed. */
function connectionBytes(): fc.Arbitrary<Sent> {
  const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const byte = fc.oneof(fc.constantFrom(...Buffer.from("\r\n \t:,/?#%;\0\u00ff", "latin1")), fc.nat(255));
  const change = fc.tuple(position, fc.constantFrom("replace", "insert", "remove"), byte);
  const changes = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) });
  const requests = fc.oneof(
    { weight: 2, arbitrary: fc.tuple(requestBytes()) },
    { weight: 1, arbitrary: fc.array(requestBytes(), { minLength: 2, maxLength: 4 }) },
  );
  return fc.tuple(requests, changes, fc.array(position, { maxLength: 3 })).map(([parts, edits, splits]) => {
    let bytes = Buffer.concat(parts);
    for (const [at, kind, value] of edits) {
      const index = Math.floor(at * bytes.length);
      const inserted = kind === "remove" ? [] : [Buffer.of(value)];
      bytes = Buffer.concat([bytes.subarray(0, index), ...inserted, bytes.subarray(kind === "insert" ? index : index + 1)]);
    }
    return { bytes, splits: splits.map((at) => Math.floor(at * bytes.length)).toSorted((one, other) => one - other) };
  });
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

/** Sends the pieces and returns the replies. */
async function send(port: number, pieces: readonly Buffer[]): Promise<{ readonly text: string; readonly isClosed: boolean }> {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  let received = "";
  let isClosed = false;
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  socket.on("close", () => (isClosed = true));
  await once(socket, "connect");
  const quiet = async (): Promise<void> => {
    let turns = 0;
    for (let length = received.length; turns < quietTurns && !isClosed; length = received.length) {
      await new Promise((resolve) => setImmediate(resolve));
      turns = received.length === length ? turns + 1 : 0;
    }
  };
  for (const piece of pieces) {
    if (!isClosed) socket.write(piece);
    await quiet();
  }
  vi.advanceTimersByTime(bodyWaitMs);
  await quiet();
  socket.destroy();
  return { text: withoutDate(received), isClosed };
}
