// Replies on sockets whose data is invalid HTTP, arrives too late or is too large.
import type { Socket } from "node:net";
import { ServiceError } from "../service-error.ts";
import { endSocket } from "./refuse.ts";
import type { NodeInboundRequest } from "./node-inbound-request.ts";
import type { RequestPacing } from "./request-pacing.ts";

/** A socket with the state of its requests. */
export interface TrackedSocket extends Socket {
  lastInbound?: NodeInboundRequest | undefined;
  refused?: boolean;
  /** Set for connections read by node:http, except those of other workers. */
  pacing?: RequestPacing;
}

/** Sends one error reply, unless a reply to an earlier request is still pending. */
export function replyToClientError(error: Error & { code?: string }, socket: TrackedSocket): void {
  if (socket.refused === true) return;
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.refused = true;
  const { lastInbound } = socket;
  if (lastInbound !== undefined && !lastInbound.response.writableEnded && !lastInbound.response.destroyed) {
    const { request, response } = lastInbound;
    if (request.complete) {
      // The error is in data after a valid request that is still being processed: send only that request's reply.
      response.shouldKeepAlive = false;
      return;
    }
    if (response.headersSent || response.socket !== socket) {
      socket.destroy();
      return;
    }
  }
  // A pipelining client could take the error for the reply to another request.
  if (socket.pacing?.isPipelined === true) socket.destroySoon();
  else endSocket(socket, parserError(error.code), socket.pacing?.isHeadRequest);
}

function parserError(code: string | undefined): ServiceError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new ServiceError("head-too-large", "the request head is too large");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ServiceError("body-too-large", "the chunk extensions are too large");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return requestTimeoutError();
    default:
      return new ServiceError("request-invalid", "the request is not valid HTTP/1.1");
  }
}

/** The error for a request that was not received in time. */
export function requestTimeoutError(): ServiceError {
  return new ServiceError("request-timeout", "the request was not received in time");
}
