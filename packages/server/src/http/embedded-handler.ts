// Handles requests received by the server of a host application, with the same checks, limits and reserved paths as the runtime's listener.
// The host's server manages connections, their timeouts and the header size limit.
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorHeaders, ServiceError, statusOf, type ErrorReply } from "../service-error.ts";
import type { Ingress } from "./ingress.ts";
import { errorBody, sendError } from "./reply.ts";
import type { ListenerScope, NodeInboundRequest } from "./node-inbound-request.ts";
import { readTarget } from "./target.ts";

/** A request listener for `node:http`. With `next`, requests that no flow serves are passed on; without it, they get 404. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;

export interface EmbeddedParts {
  readonly scope: ListenerScope;
  readonly ingress: Ingress;
  /** Serves a request; undefined when its head was rejected. */
  handle(request: IncomingMessage, response: ServerResponse): NodeInboundRequest | undefined;
}

export function embeddedHandler({ scope, ingress, handle }: EmbeddedParts): RequestHandler {
  const reject = (request: IncomingMessage, response: ServerResponse, error: ErrorReply): void =>
    sendError(response, error, {
      headOnly: request.method === "HEAD",
      sendTimeoutMs: scope.limits.sendTimeoutMs,
      unsent: scope.bytes.unsent,
    });

  return (request, response, next) => {
    if (request.httpVersionMajor !== 1) {
      // HTTP/2 responses have no socket to write to.
      const error = new ServiceError("http-version-unsupported", "only HTTP/1.1 and HTTP/1.0 are supported");
      response.writeHead(statusOf(error), errorHeaders(error)).end(errorBody(error.message));
      return;
    }
    if (next !== undefined && !isServed(ingress, request)) {
      next();
      return;
    }
    if (scope.draining) {
      reject(request, response, { code: "draining", message: "the runtime is shutting down", headers: { "Retry-After": "1" } });
      return;
    }
    if (request.readableDidRead && hasBody(request)) {
      const text = "the request body was already read: mount the handler before body parsers";
      if (next === undefined) reject(request, response, { code: "internal", message: text });
      else next(new Error(text));
      return;
    }
    const inbound = handle(request, response);
    if (inbound !== undefined) response.once("close", () => inbound.disconnected());
  };
}

/** Whether the path belongs to this runtime: to the management API or to a route. */
function isServed(ingress: Ingress, { url = "/", method = "GET" }: IncomingMessage): boolean {
  const queryStart = url.indexOf("?");
  const target = readTarget(queryStart < 0 ? url : url.slice(0, queryStart));
  return target.kind === "management" || (target.kind === "route" && ingress.hasRoute(target.path, method));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
