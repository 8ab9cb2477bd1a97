// Replies on a plain connection: head and body in one write, with the same headers as node:http. An invalid head throws before anything
// is sent.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { isBodiless, isSendable, isStream, lengthOf, type ReplyBody, type ReplyHeaders } from "../reply.ts";

export interface PlainReply {
  readonly status: number;
  readonly headers: ReplyHeaders | undefined;
  readonly body: ReplyBody;
  /** The reply to a HEAD request: same head, no body. */
  readonly headOnly: boolean;
  /** Whether the connection stays open. */
  readonly keepAlive: boolean;
  /** Keep-alive timeout; 0 means no limit. */
  readonly keepAliveMs: number;
}

const beyondAscii = /[\x80-\xff]/;
const statusLines = new Map<number, string>();
let dateSecond = 0;
let dateLine = "";

/** Writes a reply with a known body; for a streamed body only the head, in reply to HEAD. */
export function writePlainReply(socket: Socket, reply: PlainReply): void {
  const { status, body } = reply;
  const isText = typeof body === "string";
  const length = lengthOf(body);
  const bodiless = isBodiless(status);
  const head = replyHead(reply, bodiless || length === undefined ? "" : `Content-Length: ${length}\r\n`);
  if (bodiless || reply.headOnly || length === 0 || body === undefined || isStream(body)) socket.write(head, "latin1");
  // Byte length equals string length: plain ASCII, no encoding needed.
  else if (isText && length === body.length) socket.write(head + body, "latin1");
  else if (isText && !beyondAscii.test(head)) socket.write(head + body, "utf8");
  else {
    socket.cork();
    socket.write(head, "latin1");
    socket.write(body);
    socket.uncork();
  }
}

/**
 * Streams a reply and waits while the client reads slowly. If the stream fails, the connection is closed: the client detects it by the
 * missing last chunk.
 */
export function streamPlainReply(socket: Socket, reply: PlainReply, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const head = replyHead(reply, "Transfer-Encoding: chunked\r\n");
  socket.write(head, "latin1");
  return writePieces(socket, pieces);
}

async function writePieces(socket: Socket, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const stream = Readable.from(pieces, { objectMode: false });
  const stop = (): void => void stream.destroy();
  socket.once("close", stop);
  try {
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      if (socket.destroyed) return;
      if (piece.length > 0 && !writeChunk(socket, piece)) await waitForDrain(socket);
    }
    socket.write("0\r\n\r\n", "latin1");
  } catch {
    socket.destroy();
  } finally {
    socket.removeListener("close", stop);
  }
}

function writeChunk(socket: Socket, piece: Uint8Array): boolean {
  socket.cork();
  socket.write(`${piece.length.toString(16)}\r\n`, "latin1");
  socket.write(piece);
  const canContinue = socket.write("\r\n", "latin1");
  socket.uncork();
  return canContinue;
}

function waitForDrain(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.removeListener("drain", done);
      socket.removeListener("close", done);
      resolve();
    };
    socket.on("drain", done);
    socket.on("close", done);
  });
}

function replyHead({ status, headers, keepAlive, keepAliveMs }: PlainReply, framing: string): string {
  let head = statusLine(status);
  let isDated = false;
  if (headers !== undefined)
    for (const name in headers) {
      const value = headers[name] as string | readonly string[];
      if (typeof value === "string") {
        if (isSendable(name, value)) head += `${name}: ${value}\r\n`;
      } else for (const item of value) if (isSendable(name, item)) head += `${name}: ${item}\r\n`;
      if (name.length === 4 && name.toLowerCase() === "date") isDated = true;
    }
  head += framing;
  if (!isDated) head += currentDateLine();
  if (!keepAlive) return `${head}Connection: close\r\n\r\n`;
  return keepAliveMs === 0
    ? `${head}Connection: keep-alive\r\n\r\n`
    : `${head}Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`;
}

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) statusLines.set(status, (line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`));
  return line;
}

function currentDateLine(): string {
  const now = Date.now();
  const second = Math.floor(now / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateLine = `Date: ${new Date(now).toUTCString()}\r\n`;
  }
  return dateLine;
}
