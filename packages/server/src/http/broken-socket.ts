// What is left to say on a socket whose bytes are no HTTP, came too late or were too many.
import type { Socket } from "node:net";
import { HttpError } from "./http-error.ts";
import { endSocket } from "./refuse.ts";
import type { RequestArrival } from "./request-arrival.ts";

/** A socket that remembers the last request read from it. */
export interface TrackedSocket extends Socket {
  lastArrival?: RequestArrival | undefined;
  refused?: boolean;
}

/** Answers the client's mistake once, unless a reply to an earlier request must keep its place on the wire. */
export function answerBrokenSocket(error: Error & { code?: string }, socket: TrackedSocket): void {
  if (socket.refused === true) return;
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.refused = true;
  const { lastArrival } = socket;
  if (lastArrival !== undefined && !lastArrival.response.writableEnded && !lastArrival.response.destroyed) {
    const { request, response } = lastArrival;
    if (request.complete) {
      // The fault is in what came after a good request that is still being worked on: its reply goes out, nothing else does.
      response.shouldKeepAlive = false;
      return;
    }
    if (response.headersSent || response.socket !== socket) {
      socket.destroy();
      return;
    }
  }
  endSocket(socket, refusalOf(error.code));
}

function refusalOf(code: string | undefined): HttpError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new HttpError(431, "the request head is too large");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new HttpError(413, "the chunk extensions are too large");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return tooLate();
    default:
      return new HttpError(400, "the request is not valid HTTP/1.1");
  }
}

/** The refusal of a request that did not come in time. */
export function tooLate(): HttpError {
  return new HttpError(408, "the request took too long to arrive");
}
