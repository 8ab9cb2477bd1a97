// One request as it stands after its head was read: how its body is fetched and how it is answered, for webhooks and
// the management API alike.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TrackedSocket } from "./broken-socket.ts";
import { BodyReading, refusalOf, type BodyReceiver } from "./body.ts";
import { HttpError } from "./http-error.ts";
import type { HttpLimits } from "./limits.ts";
import type { ForwardedRequest } from "./private-door.ts";
import { canSkipBody, refuseAndClose } from "./refuse.ts";
import { sendError, sendReply, type ReplyBody, type ReplyHeaders } from "./reply.ts";
import type { RequestHead } from "./request-head.ts";
import type { Arrival } from "./arrival.ts";

/** What every request of a listener shares. */
export interface ArrivalScope {
  readonly limits: HttpLimits;
  draining: boolean;
}

export class RequestArrival implements Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly query: string;
  readonly #scope: ArrivalScope;
  readonly #head: RequestHead;
  #expectsContinue: boolean;
  #reading: BodyReading | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse, head: RequestHead, query: string, scope: ArrivalScope, expectsContinue: boolean) {
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
    // Requests other workers hand on come over a socket without an address.
    return this.request.socket.remoteAddress ?? (this.request as ForwardedRequest).peer ?? "";
  }

  /** The client sends its body only when it is told to. */
  get awaitsContinue(): boolean {
    return this.#expectsContinue;
  }

  get encoding(): string {
    return this.#head.encoding;
  }

  get session(): string {
    return this.#head.session;
  }

  readBody(receiver: BodyReceiver, limitBytes: number = this.#scope.limits.maxBodyBytes): void {
    const { bodyLength, encoding } = this.#head;
    const refusal = refusalOf(bodyLength, encoding, limitBytes);
    if (refusal !== undefined) {
      receiver.refused(refusal);
      return;
    }
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      this.response.writeContinue();
    }
    this.#reading = new BodyReading(this.request, bodyLength, limitBytes, receiver);
  }

  /** The connection was closed under the request. */
  disconnected(): void {
    this.#reading?.abandon();
  }

  reply(status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void {
    const { response, method } = this;
    if (this.#scope.draining || !this.#isSkippable()) response.shouldKeepAlive = false;
    sendReply(response, status, headers, body, { headOnly: method === "HEAD", sendTimeoutMs: this.#scope.limits.sendTimeoutMs });
    this.#forget();
  }

  refuse(status: number, text: string, headers?: Readonly<Record<string, string>>): void {
    const { request, response, method } = this;
    if (!this.#isSkippable()) {
      refuseAndClose(request, response, new HttpError(status, text, headers));
      return;
    }
    if (this.#scope.draining) response.shouldKeepAlive = false;
    sendError(response, status, text, headers, { headOnly: method === "HEAD", sendTimeoutMs: this.#scope.limits.sendTimeoutMs });
    this.#forget();
  }

  /** An idle connection must not keep the last request, and with it its body, alive. */
  #forget(): void {
    const socket = this.request.socket as TrackedSocket;
    if (this.response.writableEnded && socket.lastArrival === this) socket.lastArrival = undefined;
  }

  /** What is still to come of the body can be thrown away without losing step with the client. */
  #isSkippable(): boolean {
    return (
      this.#head.bodyLength === 0 ||
      this.#reading?.isComplete === true ||
      this.request.complete ||
      (!this.#expectsContinue && canSkipBody(this.#head.bodyLength))
    );
  }
}
