// The request and responder of the management API, based on a request read by node:http.
import type { IncomingHttpHeaders } from "node:http";
import { versionHeader, versionHeaders } from "./api-version.ts";
import type { HttpBytes } from "./http-bytes.ts";
import { ServiceError, type ErrorReply } from "../service-error.ts";
import type { ApiRequest, ApiResponder, ApiStream } from "./management.ts";
import type { NodeInboundRequest } from "./node-inbound-request.ts";

export class ManagementRequest implements ApiRequest {
  readonly method: string;
  readonly segments: readonly string[] | undefined;
  readonly #inbound: NodeInboundRequest;
  readonly #maxBodyBytes: number;
  readonly #bytes: HttpBytes;
  #heldBytes = 0;
  #query: URLSearchParams | undefined = undefined;
  #abort: AbortController | undefined = undefined;

  constructor(inbound: NodeInboundRequest, segments: readonly string[] | undefined, maxBodyBytes: number, bytes: HttpBytes) {
    this.#bytes = bytes;
    this.#inbound = inbound;
    this.#maxBodyBytes = maxBodyBytes;
    this.method = inbound.method;
    this.segments = segments;
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.#inbound.query));
  }

  get headers(): IncomingHttpHeaders {
    return this.#inbound.request.headers;
  }

  get authorization(): readonly string[] {
    return this.#inbound.request.headersDistinct["authorization"] ?? [];
  }

  get remoteAddress(): string {
    return this.#inbound.remoteAddress;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const { response } = this.#inbound;
      const abort = new AbortController();
      this.#abort = abort;
      if (response.destroyed) abort.abort();
      else response.once("close", () => response.writableFinished || abort.abort());
    }
    return this.#abort.signal;
  }

  /** Ends the call and releases its body. */
  release(): void {
    this.#bytes.held.release(this.#heldBytes);
    this.#heldBytes = 0;
  }

  readBody(limitBytes: number = this.#maxBodyBytes): Promise<Buffer> {
    const limit = Math.min(limitBytes, this.#maxBodyBytes);
    return new Promise((resolve, reject) => {
      const { encoding } = this.#inbound;
      this.#inbound.readBody(
        {
          received: (body) => {
            this.#heldBytes += body.length;
            if (encoding === "" || body.length === 0) resolve(body);
            else
              this.#bytes.inflation.inflate({ bytes: body, encoding, limitBytes: limit }, (error, inflated) => {
                this.#heldBytes += inflated.length;
                if (error === undefined) resolve(inflated);
                else reject(error);
              });
          },
          refused: reject,
          abandoned: () => reject(new ServiceError("request-invalid", "the client disconnected before the body was complete")),
        },
        limit,
      );
    });
  }
}

export class ManagementResponder implements ApiResponder {
  readonly #inbound: NodeInboundRequest;
  readonly #version: Readonly<Record<string, string>>;
  #sent = false;

  constructor(inbound: NodeInboundRequest) {
    this.#inbound = inbound;
    this.#version = versionHeaders(inbound.request.headers[versionHeader] as string | undefined);
  }

  get sent(): boolean {
    return this.#sent;
  }

  send(status: number, body: string | Uint8Array | undefined, headers?: Readonly<Record<string, string>>): void {
    if (this.#sent) return;
    this.#sent = true;
    this.#inbound.reply(status, { ...this.#version, ...headers }, body);
  }

  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): void {
    this.send(status, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
  }

  error({ code, message, problemCode, headers }: ErrorReply): void {
    if (this.#sent) return;
    this.#sent = true;
    this.#inbound.refuse({ code, message, problemCode, headers: { ...this.#version, ...headers } });
  }

  stream(status: number, headers: Readonly<Record<string, string>>): ApiStream {
    if (this.#sent) throw new Error("the request has already been answered");
    this.#sent = true;
    const { response, method } = this.#inbound;
    response.writeHead(status, { ...this.#version, ...headers });
    if (method === "HEAD") response.end();
    else response.flushHeaders();
    // A stream does not end by itself, so a client that half-closes is treated as disconnected.
    response.socket?.once("end", () => response.destroy());
    // TCP keep-alive detects an unreachable client machine between heartbeats.
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
