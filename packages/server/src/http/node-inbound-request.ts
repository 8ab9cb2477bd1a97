// A request read by node:http: reads its body and sends its reply, for webhooks and the management API.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TrackedSocket } from "./client-error.ts";
import { BodyReading, bodyError, type BodyReceiver } from "./body.ts";
import type { HttpBytes } from "./http-bytes.ts";
import type { ErrorReply } from "../service-error.ts";
import type { HttpLimits } from "./limits.ts";
import type { ForwardedRequest } from "./worker-socket.ts";
import { canSkipBody, refuseAndClose } from "./refuse.ts";
import { sendError, sendReply, type ReplyBody, type ReplyHeaders, type SendOptions } from "./reply.ts";
import type { RequestHead } from "./request-head.ts";
import type { InboundRequest } from "./inbound-request.ts";

/** State shared by all requests of a listener. */
export interface ListenerScope {
  readonly limits: HttpLimits;
  readonly bytes: HttpBytes;
  draining: boolean;
}

export class NodeInboundRequest implements InboundRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly query: string;
  readonly #scope: ListenerScope;
  readonly #head: RequestHead;
  #expectsContinue: boolean;
  #reading: BodyReading | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse, head: RequestHead, query: string, scope: ListenerScope, expectsContinue: boolean) {
    this.request = request;
    this.response = response;
    this.method = request.method as string;
    this.query = query;
    this.#head = head;
    this.#scope = scope;
    this.#expectsContinue = expectsContinue;
  }

  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders;
  }

  get remoteAddress(): string {
    // Forwarded requests come over a socket without an address.
    return this.request.socket.remoteAddress ?? (this.request as ForwardedRequest).peer ?? "";
  }

  /** The client waits for `100 Continue` before it sends its body. */
  get awaitsContinue(): boolean {
    return this.#expectsContinue;
  }

  /** The declared length of the body; -1 when it is chunked. */
  get bodyLength(): number {
    return this.#head.bodyLength;
  }

  get encoding(): string {
    return this.#head.encoding;
  }

  get session(): string {
    return this.#head.session;
  }

  readBody(receiver: BodyReceiver, limitBytes: number = this.#scope.limits.maxBodyBytes): void {
    const { bodyLength, encoding } = this.#head;
    const { held } = this.#scope.bytes;
    const error = bodyError(bodyLength, encoding, limitBytes) ?? (held.hasRoom(Math.max(0, bodyLength)) ? undefined : held.overloadError());
    if (error !== undefined) {
      receiver.refused(error);
      return;
    }
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      this.response.writeContinue();
    }
    this.#reading = new BodyReading(this.request, { bodyLength, limitBytes, held }, receiver);
  }

  /** The connection was closed during the request. */
  disconnected(): void {
    this.#reading?.abandon();
  }

  reply(status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void {
    const { response, method } = this;
    if (this.#scope.draining || !this.#isSkippable()) response.shouldKeepAlive = false;
    sendReply(response, status, headers, body, this.#sendOptions(method));
    this.#releaseRequest();
  }

  refuse(error: ErrorReply): void {
    const { request, response, method } = this;
    if (!this.#isSkippable()) {
      refuseAndClose(request, response, error);
      return;
    }
    if (this.#scope.draining) response.shouldKeepAlive = false;
    sendError(response, error, this.#sendOptions(method));
    this.#releaseRequest();
  }

  #sendOptions(method: string): SendOptions {
    const { limits, bytes } = this.#scope;
    return { headOnly: method === "HEAD", sendTimeoutMs: limits.sendTimeoutMs, unsent: bytes.unsent };
  }

  /** Removes the reference to the last request and its body from an idle connection. */
  #releaseRequest(): void {
    const socket = this.request.socket as TrackedSocket;
    if (this.response.writableEnded && socket.lastInbound === this) socket.lastInbound = undefined;
  }

  /** True when the rest of the body can be discarded and the connection reused. */
  #isSkippable(): boolean {
    return (
      this.#head.bodyLength === 0 ||
      this.#reading?.isComplete === true ||
      this.request.complete ||
      (!this.#expectsContinue && canSkipBody(this.#head.bodyLength))
    );
  }
}
