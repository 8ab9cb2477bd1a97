// Error replies that close the connection. After the reply, the sending side is closed and incoming data is discarded for a moment: if the
// socket were closed immediately, the kernel would reset the connection and the reply would be lost.
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorHeaders, statusOf, type ErrorReply } from "../service-error.ts";
import { errorBody, isSendable } from "./reply.ts";

const lingerMs = 1_000;
/** Reading and discarding a body up to this size is cheaper than a new connection. */
const skippableBytes = 65_536;

/** True when the rest of the request can be skipped and the connection reused. */
export function canSkipBody(bodyLength: number): boolean {
  return bodyLength >= 0 && bodyLength <= skippableBytes;
}

/** Sends an error reply to a request whose body is not read, and closes the connection. */
export function refuseAndClose(request: IncomingMessage, response: ServerResponse, error: ErrorReply): void {
  // A response queued behind a pipelined one has no socket yet; node keeps the order and closes after it.
  if (response.socket === null || response.headersSent) {
    if (response.headersSent) response.destroy();
    else {
      const body = errorBody(error.message);
      response.writeHead(statusOf(error), { ...errorHeaders(error), "Content-Length": Buffer.byteLength(body), Connection: "close" });
      response.end(body);
    }
    return;
  }
  request.resume();
  endSocket(response.socket, error, request.method === "HEAD");
}

/** Writes a reply directly to a socket and closes it. */
export function endSocket(socket: Socket, error: ErrorReply, headOnly = false): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(error.message);
  const status = statusOf(error);
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n`;
  for (const [name, value] of Object.entries(errorHeaders(error))) if (isSendable(name, value)) head += `${name}: ${value}\r\n`;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
  socket.end(`${head}\r\n${headOnly ? "" : body}`);
  socket.resume();
}
