// A connection that has carried only plain requests so far, one at a time. The first data that is not a plain request passes the
// connection to node:http permanently.
import type { Socket } from "node:net";
import type { HeldBytes } from "../held-bytes.ts";
import { requestTimeoutError } from "../client-error.ts";
import { endSocket } from "../refuse.ts";
import { isBodiless, isStream, type ReplyBody, type ReplyHeaders } from "../reply.ts";
import type { ListenerScope } from "../node-inbound-request.ts";
import { PlainInboundRequest, type RequestOrigin } from "./plain-inbound-request.ts";
import { streamPlainReply, writePlainReply } from "./plain-reply.ts";
import { headEnd, readPlainRequest, type PlainRequest } from "./plain-request.ts";

export interface PlainConnectionParts {
  readonly scope: ListenerScope;
  /** Serves a request on a fixed path; returns false without side effects when node:http must handle it. */
  serve(inbound: PlainInboundRequest, path: string): boolean;
  /** Passes the paused connection and the bytes already read to node:http. */
  toNode(socket: Socket, bytes: Buffer): void;
  /** Called when the connection is closed or no longer plain. */
  released(connection: PlainConnection): void;
}

/** Longer heads and bodies are rare; node:http handles them. */
const maxHeadBytes = 4_096;
const maxBodyBytes = 65_536;
/** How long to wait for a body. Afterwards node:http takes over, which may reject the request before its body arrives. */
const bodyWaitMs = 50;
/** Reading pauses when more than this many bytes are unsent. */
const maxUnsentBytes = 65_536;

export class PlainConnection implements RequestOrigin {
  readonly socket: Socket;
  readonly #parts: PlainConnectionParts;
  /** The previous head: clients usually repeat it exactly. */
  #last: PlainRequest | undefined = undefined;
  /** The bytes of a request whose head is complete but whose body is not. */
  #partial: Buffer | undefined = undefined;
  #bodyTimer: NodeJS.Timeout | undefined = undefined;
  /** The bytes of the current request. */
  #current: Buffer | undefined = undefined;
  /** The bytes after the current request. */
  #pipelined: Buffer | undefined = undefined;
  #remoteAddress: string | undefined = undefined;
  #hasEnded = false;
  #isSendingWatched = false;
  isUsed = false;
  readonly openedAt = performance.now();
  /** Number of sweeps since the last read. */
  idleSweeps = 0;

  constructor(socket: Socket, parts: PlainConnectionParts) {
    this.socket = socket;
    this.#parts = parts;
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  /** True between two requests: the last reply is sent and no byte of the next request has been read. */
  get isIdle(): boolean {
    return this.#current === undefined && this.#partial === undefined && this.#pipelined === undefined && this.socket.writableLength === 0;
  }

  get held(): HeldBytes {
    return this.#parts.scope.bytes.held;
  }

  get remoteAddress(): string {
    return (this.#remoteAddress ??= this.socket.remoteAddress ?? "");
  }

  /** Releases the cached head, which only speeds up the next request. */
  clearCache(): void {
    this.#last = undefined;
  }

  /** Closes a connection that timed out. */
  end(): void {
    this.#release();
    this.socket.on("error", () => this.socket.destroy());
    if (this.isUsed) this.socket.destroy();
    else endSocket(this.socket, requestTimeoutError());
  }

  /** Stops waiting for the rest of a request and passes it to node:http. */
  passPartialToNode(): void {
    if (this.#partial !== undefined) this.#passToNode(this.#partial);
  }

  /** Passes an unanswered request to node:http, which reads it again from its first byte. */
  passCurrentToNode(): void {
    if (this.#current !== undefined) this.#passToNode(this.#pipelined === undefined ? this.#current : Buffer.concat([this.#current, this.#pipelined]));
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#current !== undefined || this.#pipelined !== undefined) {
      // Pipelined: keep the bytes until the current reply is sent, and read no more until then.
      this.#pipelined = this.#pipelined === undefined ? chunk : Buffer.concat([this.#pipelined, chunk]);
      this.socket.pause();
      return;
    }
    // Some clients send an empty line after the body.
    if (this.isUsed && this.#partial === undefined && isEmptyLine(chunk)) return;
    this.idleSweeps = 0;
    this.isUsed = true;
    this.#take(this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk]));
  };

  #take(bytes: Buffer): void {
    const request = this.#parts.scope.draining ? undefined : this.#read(bytes);
    const missing = request === undefined ? 0 : request.text.length + request.bodyLength - bytes.length;
    if (request !== undefined && missing === 0) {
      this.#stopWaiting();
      this.#serve(request, bytes);
    } else if (request !== undefined && missing > 0 && this.#partial === undefined && request.bodyLength <= maxBodyBytes) {
      this.#partial = bytes;
      this.#bodyTimer = setTimeout(() => this.passPartialToNode(), bodyWaitMs);
    } else this.#passToNode(bytes);
  }

  #stopWaiting(): void {
    if (this.#bodyTimer === undefined) return;
    clearTimeout(this.#bodyTimer);
    this.#partial = this.#bodyTimer = undefined;
  }

  #read(bytes: Buffer): PlainRequest | undefined {
    const last = this.#last;
    if (last !== undefined && bytes.toString("latin1", 0, last.text.length) === last.text) return last;
    const end = headEnd(bytes, maxHeadBytes);
    return (this.#last = end === 0 ? undefined : readPlainRequest(bytes.toString("latin1", 0, end), this.#parts.scope.limits));
  }

  #serve(request: PlainRequest, bytes: Buffer): void {
    this.#current = bytes;
    const body = bytes.subarray(request.text.length);
    if (!this.#parts.serve(new PlainInboundRequest(this, request, body), request.path)) this.#passToNode(bytes);
  }

  /** Sends the one reply to the current request. */
  reply(method: string, status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void {
    const { socket } = this;
    if (this.#current === undefined || socket.destroyed) return;
    const { draining, limits } = this.#parts.scope;
    const keepAlive = !draining && (!this.#hasEnded || this.#pipelined !== undefined);
    const reply = { status, headers, body, headOnly: method === "HEAD", keepAlive, keepAliveMs: limits.keepAliveTimeoutMs };
    if (isStream(body) && !reply.headOnly && !isBodiless(status)) {
      const written = streamPlainReply(socket, reply, body);
      this.#watchSending();
      void written.then(() => this.#replySent(keepAlive));
      return;
    }
    writePlainReply(socket, reply);
    if (socket.writableLength > 0) this.#watchSending();
    this.#replySent(keepAlive);
  }

  #replySent(keepAlive: boolean): void {
    this.#current = undefined;
    this.idleSweeps = 0;
    if (!keepAlive || this.#parts.scope.draining || (this.#hasEnded && this.#pipelined === undefined)) this.socket.destroySoon();
    else if (this.socket.writableLength > maxUnsentBytes) this.socket.pause();
    else if (this.#pipelined !== undefined) this.#passToNode(this.#pipelined);
  }

  /** Disconnects a client that stops reading its reply. */
  #watchSending(): void {
    if (this.#isSendingWatched) return;
    this.#isSendingWatched = true;
    this.socket.on("timeout", this.#onTimeout);
    this.socket.on("drain", this.#onDrain);
    this.socket.setTimeout(this.#parts.scope.limits.sendTimeoutMs);
    this.#parts.scope.bytes.unsent.add(this.socket);
  }

  #unwatchSending(): void {
    if (!this.#isSendingWatched) return;
    this.#isSendingWatched = false;
    this.#parts.scope.bytes.unsent.remove(this.socket);
    this.socket.setTimeout(0);
    this.socket.removeListener("timeout", this.#onTimeout);
    this.socket.removeListener("drain", this.#onDrain);
  }

  readonly #onTimeout = (): void => {
    if (this.socket.writableLength > 0) this.socket.destroy();
  };

  readonly #onDrain = (): void => {
    // More pieces of a streamed reply may follow.
    if (this.#current !== undefined) return;
    this.#unwatchSending();
    if (this.#pipelined !== undefined) this.#passToNode(this.#pipelined);
    else if (this.socket.isPaused()) this.socket.resume();
  };

  #passToNode(bytes: Buffer): void {
    const { socket } = this;
    this.#release();
    if (socket.destroyed) return;
    socket.pause();
    this.#parts.toNode(socket, bytes);
  }

  /** Detaches all listeners from the socket. */
  #release(): void {
    const { socket } = this;
    this.#stopWaiting();
    this.#unwatchSending();
    this.#current = this.#pipelined = undefined;
    socket.removeListener("data", this.#onData);
    socket.removeListener("end", this.#onEnd);
    socket.removeListener("error", this.#onError);
    socket.removeListener("close", this.#onClose);
    this.#parts.released(this);
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.#partial !== undefined) this.socket.destroy();
    else if (this.#current === undefined) this.socket.end();
  };

  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => this.#release();
}

function isEmptyLine(chunk: Buffer): boolean {
  return chunk.length <= 2 && chunk.every((byte) => byte === 13 || byte === 10);
}
