// Dispatches the requests read by node:http, by path: to webhooks, to the management API or to another worker.
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TrackedSocket } from "./client-error.ts";
import { ServiceError } from "../service-error.ts";
import type { ListenerOptions } from "./listener.ts";
import { ManagementRequest, ManagementResponder } from "./management-call.ts";
import { NodeInboundRequest, type ListenerScope } from "./node-inbound-request.ts";
import { refuseAndClose } from "./refuse.ts";
import { readHead } from "./request-head.ts";
import { readTarget } from "./target.ts";

export class RequestDispatcher {
  /** Calls to the management API in flight. */
  managementCalls = 0;
  readonly #options: ListenerOptions;
  readonly #scope: ListenerScope;
  readonly #isLate: (socket: Socket) => boolean;

  /** `isLate`: the connection was opened after draining began. */
  constructor(options: ListenerOptions, scope: ListenerScope, isLate: (socket: Socket) => boolean) {
    this.#options = options;
    this.#scope = scope;
    this.#isLate = isLate;
  }

  handle(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): NodeInboundRequest | undefined {
    const url = request.url as string;
    const queryStart = url.indexOf("?");
    const query = queryStart < 0 ? "" : url.slice(queryStart + 1);
    let inbound: NodeInboundRequest;
    try {
      inbound = new NodeInboundRequest(request, response, readHead(request, this.#scope.limits), query, this.#scope, expectsContinue);
    } catch (error) {
      refuseAndClose(request, response, error instanceof ServiceError ? error : new ServiceError("request-invalid", "the request cannot be read"));
      return undefined;
    }
    const socket = request.socket as TrackedSocket;
    socket.lastInbound = inbound;
    socket.pacing?.requestStarted(request, response, inbound.bodyLength);
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    if (!this.#scope.draining && !path.includes("%") && this.#options.ingress.serveExact(inbound, path)) return inbound;
    this.#dispatch(inbound, path);
    return inbound;
  }

  #dispatch(inbound: NodeInboundRequest, path: string): void {
    const { ingress } = this.#options;
    const { draining } = this.#scope;
    const isLate = draining && this.#isLate(inbound.request.socket);
    if (this.#options.tryForward?.(inbound, path, isLate) === true) return;
    const target = readTarget(path);
    if (target.kind === "management") void this.#manage(inbound, target.segments);
    else if (target.kind === "invalid") inbound.refuse({ code: "request-invalid", message: target.problem });
    // The routes stop while draining: one that is already gone is not missing.
    else if (isLate || (draining && !ingress.serves(target.path, inbound.method)))
      inbound.refuse({ code: "draining", message: "the runtime is shutting down", headers: { "Retry-After": "1" } });
    else ingress.serve(inbound, target.path);
  }

  async #manage(inbound: NodeInboundRequest, segments: readonly string[] | undefined): Promise<void> {
    const { management, reportFault } = this.#options;
    const respond = new ManagementResponder(inbound);
    const request = new ManagementRequest(inbound, segments, this.#scope.limits.maxBodyBytes, this.#scope.bytes);
    this.managementCalls++;
    try {
      await management(request, respond);
      if (!respond.sent) throw new Error("the management API sent no reply");
    } catch (error) {
      if (error instanceof ServiceError) respond.error(error);
      else {
        const reference = randomBytes(6).toString("hex");
        reportFault(error, reference);
        respond.error({ code: "internal", message: `internal error (ref ${reference})` });
      }
    } finally {
      request.release();
      this.managementCalls--;
    }
  }
}
