import type { BodyReceiver } from "../body.ts";
import { errorBody, type ReplyBody, type ReplyHeaders } from "../reply.ts";
import type { Arrival } from "../arrival.ts";
import type { PlainRequest } from "./plain-request.ts";

/** The connection a plain request came over, and goes back to. */
export interface ArrivalOrigin {
  readonly remoteAddress: string;
  reply(method: string, status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void;
  /** Takes back a request that was not answered here: node reads it again, from its first byte. */
  handOverCurrent(): void;
}

/** One plain request, whose body is there already. */
export class PlainArrival implements Arrival {
  readonly #origin: ArrivalOrigin;
  readonly #request: PlainRequest;
  readonly #body: Buffer;
  #isAnswered = false;

  constructor(origin: ArrivalOrigin, request: PlainRequest, body: Buffer) {
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
    receiver.received(this.#body);
  }

  reply(status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void {
    if (this.#isAnswered) return;
    this.#origin.reply(this.#request.method, status, headers, body);
    this.#isAnswered = true;
  }

  refuse(status: number, text: string, headers?: Readonly<Record<string, string>>): void {
    this.reply(status, { "Content-Type": "application/json", ...headers }, errorBody(text));
  }

  /** Lets node read the request again, for whom this way does not suffice. */
  handOver(): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#origin.handOverCurrent();
  }
}
