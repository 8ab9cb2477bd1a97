// The request and the responder that the management API sees, on top of a request that has arrived.
import type { IncomingHttpHeaders } from "node:http";
import { versionHeader, versionHeaders } from "./api-version.ts";
import { inflateBody } from "./body.ts";
import { HttpError } from "./http-error.ts";
import type { ApiRequest, ApiResponder, ApiStream } from "./management.ts";
import type { RequestArrival } from "./request-arrival.ts";

export class ManagementRequest implements ApiRequest {
  readonly method: string;
  readonly segments: readonly string[] | undefined;
  readonly #arrival: RequestArrival;
  readonly #maxBodyBytes: number;
  #query: URLSearchParams | undefined = undefined;
  #gone: AbortController | undefined = undefined;

  constructor(arrival: RequestArrival, segments: readonly string[] | undefined, maxBodyBytes: number) {
    this.#arrival = arrival;
    this.#maxBodyBytes = maxBodyBytes;
    this.method = arrival.method;
    this.segments = segments;
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.#arrival.query));
  }

  get headers(): IncomingHttpHeaders {
    return this.#arrival.request.headers;
  }

  get authorization(): readonly string[] {
    return this.#arrival.request.headersDistinct["authorization"] ?? [];
  }

  get remoteAddress(): string {
    return this.#arrival.remoteAddress;
  }

  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const { response } = this.#arrival;
      const gone = new AbortController();
      this.#gone = gone;
      if (response.destroyed) gone.abort();
      else response.once("close", () => response.writableFinished || gone.abort());
    }
    return this.#gone.signal;
  }

  readBody(limitBytes: number = this.#maxBodyBytes): Promise<Buffer> {
    const limit = Math.min(limitBytes, this.#maxBodyBytes);
    return new Promise((resolve, reject) => {
      const { encoding } = this.#arrival;
      this.#arrival.readBody(
        {
          received: (body) => {
            if (encoding === "" || body.length === 0) resolve(body);
            else inflateBody(body, encoding, limit, (error, inflated) => (error === undefined ? resolve(inflated) : reject(error)));
          },
          refused: reject,
          abandoned: () => reject(new HttpError(400, "the client went away before the body was complete")),
        },
        limit,
      );
    });
  }
}

export class ManagementResponder implements ApiResponder {
  readonly #arrival: RequestArrival;
  readonly #version: Readonly<Record<string, string>>;
  #sent = false;

  constructor(arrival: RequestArrival) {
    this.#arrival = arrival;
    this.#version = versionHeaders(arrival.request.headers[versionHeader] as string | undefined);
  }

  get sent(): boolean {
    return this.#sent;
  }

  send(status: number, body: string | Uint8Array | undefined, headers?: Readonly<Record<string, string>>): void {
    if (this.#sent) return;
    this.#sent = true;
    this.#arrival.reply(status, { ...this.#version, ...headers }, body);
  }

  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): void {
    this.send(status, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
  }

  error(status: number, text: string, headers?: Readonly<Record<string, string>>): void {
    if (this.#sent) return;
    this.#sent = true;
    this.#arrival.refuse(status, text, { ...this.#version, ...headers });
  }

  stream(status: number, headers: Readonly<Record<string, string>>): ApiStream {
    if (this.#sent) throw new Error("the request has been answered already");
    this.#sent = true;
    const { response, method } = this.#arrival;
    response.writeHead(status, { ...this.#version, ...headers });
    if (method === "HEAD") response.end();
    else response.flushHeaders();
    // A follower whose machine is gone says nothing and takes nothing: the system asks for it between two heartbeats.
    response.socket?.setKeepAlive(true, 5_000);
    return {
      get open() {
        return !response.writableEnded && !response.destroyed;
      },
      get buffered() {
        return response.writableLength;
      },
      write: (chunk) => !response.writableEnded && !response.destroyed && response.write(chunk),
      onDrain: (listener) => void response.on("drain", listener),
      onClose: (listener) => void (response.destroyed ? queueMicrotask(listener) : response.once("close", listener)),
      end: () => void response.end(),
      destroy: () => void response.destroy(),
    };
  }
}
