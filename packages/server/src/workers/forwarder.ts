// Hands requests that another worker answers to it over a private socket, and its replies back: streaming both ways, event streams
// included. A client that goes away ends the call at the other end too.
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { peerHeader } from "../http/private-door.ts";
import type { RequestArrival } from "../http/request-arrival.ts";
import { WaitingLine, type Waiter } from "./waiting-line.ts";

export interface ForwarderOptions {
  readonly socketPath: string;
  /** How long a request waits for a lead that is being replaced or has its hands full. */
  readonly patienceMs: number;
  isDraining(): boolean;
}

export interface Forwarder {
  /** Passes the request on; `body` when it has been read already. */
  forward(arrival: RequestArrival, body?: Uint8Array): void;
  /** Requests whose reply is still to come. */
  readonly active: number;
  close(): void;
}

const lingerMs = 1_000;
/** The lead is being replaced, or has more connections to take than wait at its door: nothing of the request has left. */
const notTaken = new Set(["ENOENT", "ECONNREFUSED", "EAGAIN"]);
/** Belong to one connection and are not handed on. */
const hopByHop = new Set(["connection", "keep-alive", "proxy-connection", "upgrade", "te", "trailer", peerHeader]);

export function createForwarder(options: ForwarderOptions): Forwarder {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 256, scheduling: "lifo" });
  const line = new WaitingLine();
  let active = 0;

  function forward(arrival: RequestArrival, body?: Uint8Array): void {
    active++;
    const until = performance.now() + options.patienceMs;
    arrival.response.once("close", () => active--);
    if (line.isEmpty) attempt(arrival, body, until);
    else line.add(waiter(arrival, body, until, "is away"));
  }

  const waiter = (arrival: RequestArrival, body: Uint8Array | undefined, until: number, reason: string): Waiter => ({
    until,
    knock: () => attempt(arrival, body, until),
    giveUp: () => arrival.response.destroyed || arrival.refuse(503, `the leading worker ${reason}`, { "Retry-After": "1" }),
  });

  function attempt(arrival: RequestArrival, body: Uint8Array | undefined, until: number): void {
    const { request, response } = arrival;
    if (response.destroyed) return;
    const outgoing = httpRequest({
      socketPath: options.socketPath,
      agent,
      method: request.method as string,
      path: request.url as string,
      headers: headersFor(arrival, body) as unknown as Record<string, string>,
      setHost: false,
    });
    let answered = false;
    const clientLeft = (): void => void (response.writableFinished || outgoing.destroy());
    response.once("close", clientLeft);
    outgoing.once("response", (incoming) => {
      answered = true;
      relay(incoming, request, response);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      response.removeListener("close", clientLeft);
      if (answered || response.destroyed) return;
      if (!notTaken.has(error.code ?? ""))
        return void arrival.refuse(503, "the leading worker ended; what became of the request is not known", { "Retry-After": "1" });
      line.turnedAway(waiter(arrival, body, until, error.code === "EAGAIN" ? "is too busy" : "is away"));
    });
    outgoing.once("socket", (socket) => {
      // Nothing of the body is taken from the client before somebody is there to have it.
      const begin = (): void => {
        line.letIn();
        send(arrival, outgoing, body);
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
    response.writeHead(incoming.statusCode ?? 502, withoutHops(incoming.rawHeaders, true));
    // A reply of known length goes out in one piece; of a stream the head must not wait for the first event.
    if (incoming.headers["content-length"] === undefined) response.flushHeaders();
    incoming.once("close", () => void (incoming.complete || response.destroy()));
    if (request.complete) incoming.pipe(response);
    else relayBeforeTheEnd(incoming, request, response);
  }

  return {
    forward,
    get active() {
      return active;
    },
    close: () => agent.destroy(),
  };
}

/** The answer came before all of the request had: the rest is thrown away for a moment, since closing at once could lose the answer. */
function relayBeforeTheEnd(incoming: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
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

function send(arrival: RequestArrival, outgoing: ClientRequest, body: Uint8Array | undefined): void {
  const { request, response } = arrival;
  if (body !== undefined) outgoing.end(body);
  else if (arrival.awaitsContinue) {
    outgoing.once("continue", () => {
      response.writeContinue();
      request.pipe(outgoing);
    });
    outgoing.flushHeaders();
  } else request.pipe(outgoing);
}

function headersFor(arrival: RequestArrival, body: Uint8Array | undefined): string[] {
  const { request } = arrival;
  const headers = withoutHops(request.rawHeaders, false);
  const has = (name: string): boolean => headers.some((header, index) => index % 2 === 0 && header.toLowerCase() === name);
  const before = headers.length;
  if (!has("host")) headers.push("Host", "localhost");
  if (body !== undefined) {
    for (let index = headers.length - 2; index >= 0; index -= 2)
      if (/^(content-length|transfer-encoding|expect)$/i.test(headers[index] as string)) headers.splice(index, 2);
    headers.push("Content-Length", String(body.byteLength));
  } else if (!has("content-length") && !has("transfer-encoding")) headers.push("Content-Length", "0");
  // Last, so that the other end finds it without looking, with the number of headers before it that are ours and not the client's.
  const ours = body === undefined ? (headers.length - before) / 2 : 0;
  headers.push(peerHeader, `${arrival.remoteAddress} ${ours}`);
  return headers;
}

function withoutHops(raw: readonly string[], isReply: boolean): string[] {
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const lower = (raw[index] as string).toLowerCase();
    // Of a request the framing is kept as it was; a reply is framed anew.
    if (!hopByHop.has(lower) && !(isReply && lower === "transfer-encoding")) kept.push(raw[index] as string, raw[index + 1] as string);
  }
  return kept;
}
