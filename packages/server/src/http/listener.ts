// The HTTP listener: reads requests within the limits and dispatches them by path to the management API or to webhooks. Any input ends
// in a correct reply or a closed connection, never in a crash.
import { createServer, type IncomingMessage, type Server, type ServerOptions } from "node:http";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import { AcceptingServer } from "./accepting-server.ts";
import { replyToClientError, type TrackedSocket } from "./client-error.ts";
import { drainServer, type DrainCounts } from "./drain.ts";
import { embeddedHandler, type RequestHandler } from "./embedded-handler.ts";
import type { HttpBytes } from "./http-bytes.ts";
import { ServiceError } from "../service-error.ts";
import type { Ingress } from "./ingress.ts";
import type { HttpLimits } from "./limits.ts";
import type { ManagementHandler } from "./management.ts";
import { addedHeaderBytes, extractPeer, listenOnWorkerSocket } from "./worker-socket.ts";
import { plainConnections } from "./plain/plain-connections.ts";
import { refuseAndClose } from "./refuse.ts";
import type { NodeInboundRequest, ListenerScope } from "./node-inbound-request.ts";
import { RequestDispatcher } from "./request-dispatcher.ts";
import { RequestPacing } from "./request-pacing.ts";
import { TimeSlicedQueue } from "./time-sliced-queue.ts";

export interface ListenerOptions {
  readonly limits: HttpLimits;
  readonly bytes: HttpBytes;
  readonly ingress: Ingress;
  readonly management: ManagementHandler;
  /** False to let node:http read every request; otherwise simple requests are read directly from the socket. */
  readonly fastPath?: boolean;
  /** Logs an internal error; the caller sees only the reference. */
  reportFault(fault: unknown, reference: string): void;
  /** Takes over requests that no fixed path serves; returns true if it took the request over. `isLate`: the connection was opened after draining began. */
  tryForward?(inbound: NodeInboundRequest, path: string, isLate: boolean): boolean;
  /** True while draining must wait: the leader waits for its followers, a follower for the requests it has forwarded. */
  mustStayOpen?(): boolean;
}

export interface HttpListener {
  /** `exclusive`: the port is not shared with other workers. */
  listen(port: number, host: string, exclusive?: boolean): Promise<AddressInfo>;
  /** Also accepts requests forwarded by other workers, on a Unix socket at this path. */
  listenForWorkers(path: string): Promise<void>;
  /** Serves requests of a host application's server. */
  readonly handler: RequestHandler;
  /** True after the first call to `drain`. */
  readonly draining: boolean;
  readonly connections: number;
  /**
   * Shuts down gracefully: open connections get their last reply with `Connection: close`, webhooks on new connections get 503, and the
   * management API keeps answering. Everything is closed when no request is in flight or the deadline passes.
   */
  drain(deadlineMs: number): Promise<DrainCounts>;
}

/** Length of the accept backlog; the system may allow less. If it is full, clients retry after a second. */
const backlog = 4_096;

export function createListener(options: ListenerOptions): HttpListener {
  const { limits, bytes, ingress, reportFault, fastPath = true } = options;
  const scope: ListenerScope = { limits, bytes, draining: false };
  const sockets = new Set<Socket>();
  const lateSockets = new WeakSet<Socket>();
  const pacingQueue = new TimeSlicedQueue();
  const dispatcher = new RequestDispatcher(options, scope, (socket) => lateSockets.has(socket));
  const server = new AcceptingServer(serverOptions(limits));
  let workerServer: Server | undefined;
  server.maxConnections = limits.maxConnections;
  // A client may half-close after sending the request; node would close the connection before a slow reply.
  server.httpAllowHalfOpen = true;
  handleRequests(server, dispatcher);
  const plain = plainConnections({ scope, serve: (inbound, path) => ingress.serveExact(inbound, path), toNode: passToNode });
  server.accept = (socket) => {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      (socket as TrackedSocket).lastInbound?.disconnected();
    });
    if (scope.draining) lateSockets.add(socket);
    if (fastPath) plain.add(socket);
    else passToNode(socket.pause(), Buffer.alloc(0));
  };

  function passToNode(socket: TrackedSocket, first: Buffer): void {
    server.read(socket);
    socket.pacing = new RequestPacing(socket, bytes.held, pacingQueue);
    socket.pacing.receive(first);
  }

  return {
    async listenForWorkers(path) {
      workerServer = await listenForWorkers(path, limits, dispatcher);
    },
    handler: embeddedHandler({ scope, ingress, handle: (request, response) => dispatcher.handle(request, response, false) }),
    listen: (port, host, exclusive = false) => listen(server, { port, host, exclusive }, reportFault),
    get draining() {
      return scope.draining;
    },
    get connections() {
      return sockets.size;
    },
    drain(deadlineMs) {
      scope.draining = true;
      plain.beginDrain();
      const inFlight = (): number => ingress.active + dispatcher.managementCalls + (options.mustStayOpen?.() === true ? 1 : 0);
      return drainServer(server, { deadlineMs, sockets, inFlight, closeIdle: plain.closeIdle }).finally(() => {
        plain.stop();
        workerServer?.close();
        workerServer?.closeAllConnections();
      });
    },
  };
}

function serverOptions(limits: HttpLimits): ServerOptions {
  return {
    insecureHTTPParser: false,
    // The error of the node:http parser has no body; the runtime's error names the missing header.
    requireHostHeader: false,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
  };
}

function listen(server: Server, address: ListenOptions, reportFault: ListenerOptions["reportFault"]): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...address, backlog }, () => {
      server.removeListener("error", reject);
      server.on("error", (error) => reportFault(error, "listener"));
      resolve(server.address() as AddressInfo);
    });
  });
}

async function listenForWorkers(path: string, limits: HttpLimits, dispatcher: RequestDispatcher): Promise<Server> {
  const server = createServer({ ...serverOptions(limits), maxHeaderSize: limits.maxHeaderBytes + addedHeaderBytes });
  handleRequests(server, dispatcher, extractPeer);
  server.on("connection", (socket) => socket.once("close", () => (socket as TrackedSocket).lastInbound?.disconnected()));
  await listenOnWorkerSocket(server, path);
  return server;
}

function handleRequests(server: Server, dispatcher: RequestDispatcher, prepare?: (request: IncomingMessage) => void): void {
  server.on("request", (request, response) => {
    prepare?.(request);
    dispatcher.handle(request, response, false);
  });
  server.on("checkContinue", (request, response) => {
    prepare?.(request);
    dispatcher.handle(request, response, true);
  });
  // Node would silently drop excess headers. Their total size is limited, and `readHead` rejects requests with too many headers.
  server.maxHeadersCount = 0;
  server.on("checkExpectation", (request, response) =>
    refuseAndClose(request, response, new ServiceError("expectation-unsupported", "the only supported expectation is '100-continue'")),
  );
  server.on("clientError", (error, socket) => replyToClientError(error, socket as TrackedSocket));
}
