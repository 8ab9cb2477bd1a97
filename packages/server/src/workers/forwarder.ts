// Forwards requests to the leader over a Unix socket and relays the replies, both streaming; event streams included. A client that
// disconnects aborts the forwarded request too.
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { peerHeader } from "../http/worker-socket.ts";
import type { NodeInboundRequest } from "../http/node-inbound-request.ts";
import { RetryQueue, type QueuedRequest } from "./retry-queue.ts";

export interface ForwarderOptions {
  readonly socketPath: string;
  /** How long a request waits for a leader that is overloaded or being replaced. */
  readonly waitMs: number;
  isDraining(): boolean;
}

export interface Forwarder {
  /** Forwards the request; `body` if it has been read already. */
  forward(inbound: NodeInboundRequest, body?: Uint8Array): void;
  /** Requests without a reply yet. */
  readonly active: number;
  close(): void;
}

const lingerMs = 1_000;
/** Connection errors of a leader that is being replaced or whose backlog is full: nothing of the request was sent. */
const notAcceptedCodes = new Set(["ENOENT", "ECONNREFUSED", "EAGAIN"]);
/** Headers that are not forwarded: hop-by-hop headers, and the peer header, which only the forwarder may set. */
const notForwarded = new Set(["connection", "keep-alive", "proxy-connection", "upgrade", "te", "trailer", peerHeader]);

export function createForwarder(options: ForwarderOptions): Forwarder {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 256, scheduling: "lifo" });
  const retries = new RetryQueue();
  let active = 0;

  function forward(inbound: NodeInboundRequest, body?: Uint8Array): void {
    active++;
    const until = performance.now() + options.waitMs;
    inbound.response.once("close", () => active--);
    if (retries.isEmpty) attempt(inbound, body, until);
    else retries.add(queuedRequest(inbound, body, until, "is unavailable"));
  }

  const queuedRequest = (inbound: NodeInboundRequest, body: Uint8Array | undefined, until: number, reason: string): QueuedRequest => ({
    until,
    attempt: () => attempt(inbound, body, until),
    giveUp: () => inbound.response.destroyed || refuse(inbound, `the leader worker ${reason}`),
  });

  function attempt(inbound: NodeInboundRequest, body: Uint8Array | undefined, until: number): void {
    const { request, response } = inbound;
    if (response.destroyed) return;
    const outgoing = httpRequest({
      socketPath: options.socketPath,
      agent,
      method: request.method as string,
      path: request.url as string,
      headers: headersFor(inbound, body) as unknown as Record<string, string>,
      setHost: false,
    });
    let hasResponse = false;
    const onClientClose = (): void => void (response.writableFinished || outgoing.destroy());
    response.once("close", onClientClose);
    outgoing.once("response", (incoming) => {
      hasResponse = true;
      relay(incoming, request, response);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      response.removeListener("close", onClientClose);
      if (hasResponse || response.destroyed) return;
      if (!notAcceptedCodes.has(error.code ?? "")) return refuse(inbound, "the leader worker exited while it processed the request; the outcome is unknown");
      retries.failed(queuedRequest(inbound, body, until, error.code === "EAGAIN" ? "is too busy" : "is unavailable"));
    });
    outgoing.once("socket", (socket) => {
      // Do not read the client's body before the leader has accepted the connection.
      const begin = (): void => {
        retries.succeeded();
        send(inbound, outgoing, body);
      };
      if (socket.connecting) socket.once("connect", begin);
      else begin();
    });
  }

  function relay(incoming: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
    if (response.destroyed || response.headersSent) {
      incoming.destroy();
      return;
    }
    response.sendDate = false;
    if (options.isDraining() || !request.complete) response.shouldKeepAlive = false;
    response.writeHead(incoming.statusCode ?? 502, forwardedHeaders(incoming.rawHeaders, true));
    // A reply of known length is sent in one write. The head of a stream must not wait for the first event.
    if (incoming.headers["content-length"] === undefined) response.flushHeaders();
    if (incoming.headers["content-type"]?.startsWith("text/event-stream") === true) request.socket.once("end", () => response.destroy());
    incoming.once("close", () => void (incoming.complete || response.destroy()));
    if (request.complete) incoming.pipe(response);
    else relayEarlyReply(incoming, request, response);
  }

  return {
    forward,
    get active() {
      return active;
    },
    close: () => agent.destroy(),
  };
}

const refuse = (inbound: NodeInboundRequest, message: string): void => inbound.refuse({ code: "worker-unavailable", message, headers: { "Retry-After": "1" } });

/** The reply arrived before the end of the request: discard the rest for a moment, since closing at once could lose the reply. */
function relayEarlyReply(incoming: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  request.unpipe();
  request.resume();
  incoming.pipe(response, { end: false });
  incoming.once("end", () => {
    const timer = setTimeout(() => response.end(), lingerMs);
    request.once("close", () => clearTimeout(timer));
    request.once("end", () => {
      clearTimeout(timer);
      response.end();
    });
  });
}

function send(inbound: NodeInboundRequest, outgoing: ClientRequest, body: Uint8Array | undefined): void {
  const { request, response } = inbound;
  if (body !== undefined) outgoing.end(body);
  else if (inbound.awaitsContinue) {
    outgoing.once("continue", () => {
      response.writeContinue();
      request.pipe(outgoing);
    });
    outgoing.flushHeaders();
  } else request.pipe(outgoing);
}

function headersFor(inbound: NodeInboundRequest, body: Uint8Array | undefined): string[] {
  const { request } = inbound;
  const headers = forwardedHeaders(request.rawHeaders, false);
  const has = (name: string): boolean => headers.some((header, index) => index % 2 === 0 && header.toLowerCase() === name);
  const forwardedLength = headers.length;
  if (!has("host")) headers.push("Host", "localhost");
  if (body !== undefined) {
    for (let index = headers.length - 2; index >= 0; index -= 2)
      if (/^(content-length|transfer-encoding|expect)$/i.test(headers[index] as string)) headers.splice(index, 2);
    headers.push("Content-Length", String(body.byteLength));
  } else if (!has("content-length") && !has("transfer-encoding")) headers.push("Content-Length", "0");
  // The peer header is last, so that the leader finds it quickly. Its value includes the number of headers added by the forwarder.
  const addedCount = body === undefined ? (headers.length - forwardedLength) / 2 : 0;
  headers.push(peerHeader, `${inbound.remoteAddress} ${addedCount}`);
  return headers;
}

function forwardedHeaders(raw: readonly string[], isReply: boolean): string[] {
  const headers: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const lower = (raw[index] as string).toLowerCase();
    // A request keeps its framing; a reply is framed again.
    if (!notForwarded.has(lower) && !(isReply && lower === "transfer-encoding")) headers.push(raw[index] as string, raw[index + 1] as string);
  }
  return headers;
}
