// Refusals that end the connection. The reply is written, our side is closed, and what the client still sends is
// thrown away for a moment: closing at once would make the kernel reset the connection and lose the reply.
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpError } from "./http-error.ts";
import { errorBody, isSendable } from "./reply.ts";

const lingerMs = 1_000;
/** A body up to this size is cheaper to read and forget than a new connection. */
const forgettableBytes = 65_536;

/** True when the rest of the request is small enough to be skipped and the connection kept. */
export function canSkipBody(bodyLength: number): boolean {
  return bodyLength >= 0 && bodyLength <= forgettableBytes;
}

/** Answers a request whose body will not be read. */
export function refuseAndClose(request: IncomingMessage, response: ServerResponse, error: HttpError, extra?: Readonly<Record<string, string>>): void {
  // A response still waiting behind a pipelined one has no socket yet; node keeps the order and closes after it.
  if (response.socket === null || response.headersSent) {
    if (response.headersSent) response.destroy();
    else {
      const body = errorBody(error.message);
      response.writeHead(error.status, {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        ...extra,
        ...error.headers,
        Connection: "close",
      });
      response.end(body);
    }
    return;
  }
  request.resume();
  endSocket(response.socket, error, extra, request.method === "HEAD");
}

/** Writes a reply on a socket that no request object belongs to, and closes it. */
export function endSocket(socket: Socket, error: HttpError, extra?: Readonly<Record<string, string>>, headOnly = false): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(error.message);
  let head = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ""}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n`;
  for (const [name, value] of Object.entries({ ...extra, ...error.headers })) if (isSendable(name, value)) head += `${name}: ${value}\r\n`;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
  socket.end(`${head}\r\n${headOnly ? "" : body}`);
  socket.resume();
}
