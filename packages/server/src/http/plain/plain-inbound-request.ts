import { errorHeaders, statusOf, type ErrorReply } from "../../service-error.ts";
import type { BodyReceiver } from "../body.ts";
import type { HeldBytes } from "../held-bytes.ts";
import { errorBody, type ReplyBody, type ReplyHeaders } from "../reply.ts";
import type { InboundRequest } from "../inbound-request.ts";
import type { PlainRequest } from "./plain-request.ts";

/** The connection of a plain request. */
export interface RequestOrigin {
  readonly held: HeldBytes;
  readonly remoteAddress: string;
  reply(method: string, status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void;
  /** Passes an unanswered request to node:http, which reads it again from its first byte. */
  passCurrentToNode(): void;
}

/** A plain request with its complete body. */
export class PlainInboundRequest implements InboundRequest {
  readonly #origin: RequestOrigin;
  readonly #request: PlainRequest;
  readonly #body: Buffer;
  #isAnswered = false;

  constructor(origin: RequestOrigin, request: PlainRequest, body: Buffer) {
    this.#origin = origin;
    this.#request = request;
    this.#body = body;
  }

  get method(): string {
    return this.#request.method;
  }

  get query(): string {
    return this.#request.query;
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  get remoteAddress(): string {
    return this.#origin.remoteAddress;
  }

  get encoding(): string {
    return "";
  }

  get session(): string {
    return "";
  }

  readBody(receiver: BodyReceiver): void {
    const { held } = this.#origin;
    if (held.take(this.#body.length)) receiver.received(this.#body);
    else receiver.refused(held.overloadError());
  }

  reply(status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void {
    if (this.#isAnswered) return;
    this.#origin.reply(this.#request.method, status, headers, body);
    this.#isAnswered = true;
  }

  refuse(error: ErrorReply): void {
    this.reply(statusOf(error), errorHeaders(error), errorBody(error.message));
  }

  /** Passes the request to node:http, for cases that this class does not support. */
  passToNode(): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#origin.passCurrentToNode();
  }
}
