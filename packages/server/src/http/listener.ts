// The one way in: sockets to requests within the limits, then by path to the management API or to the webhooks.
// Whatever bytes arrive, they end in a correct reply or a closed connection, never in a fault of the process.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { answerBrokenSocket, type TrackedSocket } from "./broken-socket.ts";
import { drainServer, type DrainCounts } from "./drain.ts";
import { HttpError } from "./http-error.ts";
import type { Ingress } from "./ingress.ts";
import type { HttpLimits } from "./limits.ts";
import { ManagementRequest, ManagementResponder } from "./management-call.ts";
import type { ManagementHandler } from "./management.ts";
import { addedHeaderBytes, notePeer, openPrivateDoor } from "./private-door.ts";
import { plainConnections } from "./plain/plain-connections.ts";
import { refuseAndClose } from "./refuse.ts";
import { RequestArrival, type ArrivalScope } from "./request-arrival.ts";
import { readHead } from "./request-head.ts";
import { readTarget } from "./target.ts";

export interface ListenerOptions {
  readonly limits: HttpLimits;
  readonly ingress: Ingress;
  readonly management: ManagementHandler;
  /** Told about faults of our own; the caller only sees the reference. */
  reportFault(fault: unknown, reference: string): void;
  /** Asked about requests no fixed path serves: true when somebody else answers. `isLate`: on a connection made after the end began. */
  elsewhere?(arrival: RequestArrival, path: string, isLate: boolean): boolean;
  /** True while others need this listener, so that it must not end yet. */
  isAwaited?(): boolean;
}

export interface HttpListener {
  /** `alone`: the port is not shared with other workers of the service. */
  listen(port: number, host: string, alone?: boolean): Promise<AddressInfo>;
  /** Also takes what other workers of the service hand on, over a socket at this path. */
  listenPrivately(path: string): Promise<void>;
  /** True from the first call of `drain` on. */
  readonly draining: boolean;
  readonly connections: number;
  /**
   * Ends well: connections that were open get their last reply with `Connection: close`, webhooks on new ones 503, the management
   * API goes on answering; when nothing is under way or the deadline passes, everything is closed.
   */
  drain(deadlineMs: number): Promise<DrainCounts>;
}

/** Connections that may wait to be let in while the process is busy; the system may allow fewer. One that finds the queue full tries again a second later. */
const waitingConnections = 4_096;

export function createListener(options: ListenerOptions): HttpListener {
  const { limits, ingress, management, reportFault } = options;
  const scope: ArrivalScope = { limits, draining: false };
  const sockets = new Set<Socket>();
  const late = new WeakSet<Socket>();
  let managing = 0;

  const serverOptions: ServerOptions = {
    insecureHTTPParser: false,
    // The parser's own refusal has no body; ours says what is missing.
    requireHostHeader: false,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
  };
  const server = createServer(serverOptions);
  let privateServer: Server | undefined;
  server.maxConnections = limits.maxConnections;
  server.on("request", (request, response) => take(request, response, false));
  server.on("checkContinue", (request, response) => take(request, response, true));
  handleOddities(server);
  // Node's own reading of a connection, for those over which more than plain requests come.
  const [toNode] = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  if (toNode === undefined) throw new Error("this version of node gives no way to hand a connection to its HTTP server");
  const plain = plainConnections({ scope, serve: (arrival, path) => ingress.serveExact(arrival, path), toNode: (socket) => toNode.call(server, socket) });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      (socket as TrackedSocket).lastArrival?.disconnected();
    });
    if (scope.draining) late.add(socket);
    plain.take(socket);
  });

  async function listenPrivately(path: string): Promise<void> {
    const inner = createServer({ ...serverOptions, maxHeaderSize: limits.maxHeaderBytes + addedHeaderBytes });
    inner.on("request", (request, response) => {
      notePeer(request);
      take(request, response, false);
    });
    inner.on("checkContinue", (request, response) => {
      notePeer(request);
      take(request, response, true);
    });
    inner.on("connection", (socket) => socket.once("close", () => (socket as TrackedSocket).lastArrival?.disconnected()));
    handleOddities(inner);
    await openPrivateDoor(inner, path);
    privateServer = inner;
  }

  function take(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const url = request.url as string;
    const mark = url.indexOf("?");
    let arrival: RequestArrival;
    try {
      arrival = new RequestArrival(request, response, readHead(request, limits), mark < 0 ? "" : url.slice(mark + 1), scope, expectsContinue);
    } catch (error) {
      refuseAndClose(request, response, error instanceof HttpError ? error : new HttpError(400, "the request cannot be read"));
      return;
    }
    (request.socket as TrackedSocket).lastArrival = arrival;
    const path = mark < 0 ? url : url.slice(0, mark);
    if (!scope.draining && !path.includes("%") && ingress.serveExact(arrival, path)) return;
    dispatch(arrival, path);
  }

  function dispatch(arrival: RequestArrival, path: string): void {
    if (options.elsewhere?.(arrival, path, scope.draining && late.has(arrival.request.socket)) === true) return;
    const target = readTarget(path);
    if (target.kind === "management") void manage(arrival, target.segments);
    else if (target.kind === "invalid") arrival.refuse(400, target.problem);
    else if (scope.draining && late.has(arrival.request.socket)) arrival.refuse(503, "the runtime is shutting down", { "Retry-After": "1" });
    else ingress.serve(arrival, target.path);
  }

  async function manage(arrival: RequestArrival, segments: readonly string[] | undefined): Promise<void> {
    const respond = new ManagementResponder(arrival);
    managing++;
    try {
      await management(new ManagementRequest(arrival, segments, limits.maxBodyBytes), respond);
      if (!respond.sent) throw new Error("the management API gave no answer");
    } catch (error) {
      if (error instanceof HttpError) respond.error(error.status, error.message, error.headers);
      else {
        const reference = randomBytes(6).toString("hex");
        reportFault(error, reference);
        respond.error(500, `internal error (ref ${reference})`);
      }
    } finally {
      managing--;
    }
  }

  return {
    listenPrivately,
    listen: (port, host, alone = false) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ port, host, backlog: waitingConnections, exclusive: alone }, () => {
          server.removeListener("error", reject);
          server.on("error", (error) => reportFault(error, "listener"));
          resolve(server.address() as AddressInfo);
        });
      }),
    get draining() {
      return scope.draining;
    },
    get connections() {
      return sockets.size;
    },
    drain(deadlineMs) {
      scope.draining = true;
      plain.beginEnd();
      const underWay = (): number => ingress.active + managing + (options.isAwaited?.() === true ? 1 : 0);
      return drainServer(server, { deadlineMs, sockets, underWay, closeIdle: plain.closeIdle }).finally(() => {
        plain.stop();
        privateServer?.close();
        privateServer?.closeAllConnections();
      });
    },
  };
}

function handleOddities(server: Server): void {
  // Node would silently drop what is over its count; the head's size bounds it, and readHead refuses.
  server.maxHeadersCount = 0;
  server.on("checkExpectation", (request, response) =>
    refuseAndClose(request, response, new HttpError(417, "the only expectation met here is '100-continue'")),
  );
  server.on("clientError", (error, socket) => answerBrokenSocket(error, socket as TrackedSocket));
}
