// A connection as long as only plain requests come over it, one after the other, each answered before the next is read. The
// first bytes that are anything else go to node:http together with the connection, which then stays there.
import type { Socket } from "node:net";
import { tooLate } from "../broken-socket.ts";
import { endSocket } from "../refuse.ts";
import { isBodiless, isStream, type ReplyBody, type ReplyHeaders } from "../reply.ts";
import type { ArrivalScope } from "../request-arrival.ts";
import { PlainArrival, type ArrivalOrigin } from "./plain-arrival.ts";
import { streamPlainReply, writePlainReply } from "./plain-reply.ts";
import { headEnd, readPlainRequest, type PlainRequest } from "./plain-request.ts";

export interface PlainConnectionParts {
  readonly scope: ArrivalScope;
  /** Answers a request on a fixed path; false, with nothing done, when it is not for this way. */
  serve(arrival: PlainArrival, path: string): boolean;
  /** Gives the connection to node:http. */
  toNode(socket: Socket): void;
  /** This connection is plain no more, or gone. */
  left(connection: PlainConnection): void;
}

/** Longer heads, and bodies that come in many pieces, are rare enough to be left to node. */
const longestHead = 4_096;
const longestBody = 65_536;
/** Whoever sends a head without its body may be told no before, and that is node's way. */
const bodyPatienceMs = 50;
/** What may wait in the send buffer before nothing more is read from this client. */
const mostUnsent = 65_536;

export class PlainConnection implements ArrivalOrigin {
  readonly socket: Socket;
  readonly #parts: PlainConnectionParts;
  /** The head that came last: clients repeat theirs to the letter. */
  #last: PlainRequest | undefined = undefined;
  /** A whole head whose body is still to come. */
  #begun: Buffer | undefined = undefined;
  #patience: NodeJS.Timeout | undefined = undefined;
  /** Bytes of the request being worked on, and after them what came too early. */
  #current: Buffer | undefined = undefined;
  #early: Buffer | undefined = undefined;
  #remoteAddress: string | undefined = undefined;
  #hasEnded = false;
  #isSendingWatched = false;
  isUsed = false;
  /** Looks of the sweep since something was read. */
  idleLooks = 0;

  constructor(socket: Socket, parts: PlainConnectionParts) {
    this.socket = socket;
    this.#parts = parts;
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  /** Between two requests: the last reply is with the client and nothing of the next one was read. */
  get isIdle(): boolean {
    return this.#current === undefined && this.#begun === undefined && this.socket.writableLength === 0;
  }

  get remoteAddress(): string {
    return (this.#remoteAddress ??= this.socket.remoteAddress ?? "");
  }

  /** Lets go of what only speeds up the next request. */
  forget(): void {
    this.#last = undefined;
  }

  /** Closes a connection that has been silent too long. */
  end(): void {
    this.#release();
    this.socket.on("error", () => this.socket.destroy());
    if (this.isUsed) this.socket.destroy();
    else endSocket(this.socket, tooLate());
  }

  /** Gives up waiting for the rest of a request: node goes on from here. */
  handOverBegun(): void {
    if (this.#begun !== undefined) this.#handOver(this.#begun);
  }

  /** Takes back a request that was not answered here: node reads it again, from its first byte. */
  handOverCurrent(): void {
    if (this.#current !== undefined) this.#handOver(this.#early === undefined ? this.#current : Buffer.concat([this.#current, this.#early]));
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#current !== undefined) {
      // Asked before the last reply: kept until that is out. No more is read until then.
      this.#early = this.#early === undefined ? chunk : Buffer.concat([this.#early, chunk]);
      this.socket.pause();
      return;
    }
    // Some clients send an empty line behind their body.
    if (this.isUsed && this.#begun === undefined && isEmptyLine(chunk)) return;
    this.idleLooks = 0;
    this.isUsed = true;
    this.#take(this.#begun === undefined ? chunk : Buffer.concat([this.#begun, chunk]));
  };

  #take(bytes: Buffer): void {
    const request = this.#parts.scope.draining ? undefined : this.#read(bytes);
    const missing = request === undefined ? 0 : request.text.length + request.bodyLength - bytes.length;
    if (request !== undefined && missing === 0) {
      this.#stopWaiting();
      this.#serve(request, bytes);
    } else if (request !== undefined && missing > 0 && this.#begun === undefined && request.bodyLength <= longestBody) {
      this.#begun = bytes;
      this.#patience = setTimeout(() => this.handOverBegun(), bodyPatienceMs);
    } else this.#handOver(bytes);
  }

  #stopWaiting(): void {
    if (this.#patience === undefined) return;
    clearTimeout(this.#patience);
    this.#begun = this.#patience = undefined;
  }

  #read(bytes: Buffer): PlainRequest | undefined {
    const last = this.#last;
    if (last !== undefined && bytes.toString("latin1", 0, last.text.length) === last.text) return last;
    const end = headEnd(bytes, longestHead);
    return (this.#last = end === 0 ? undefined : readPlainRequest(bytes.toString("latin1", 0, end), this.#parts.scope.limits));
  }

  #serve(request: PlainRequest, bytes: Buffer): void {
    this.#current = bytes;
    const body = bytes.subarray(request.text.length);
    if (!this.#parts.serve(new PlainArrival(this, request, body), request.path)) this.#handOver(bytes);
  }

  /** The one reply to the current request. */
  reply(method: string, status: number, headers: ReplyHeaders | undefined, body: ReplyBody): void {
    const { socket } = this;
    if (this.#current === undefined || socket.destroyed) return;
    const { draining, limits } = this.#parts.scope;
    const keepAlive = !draining && !this.#hasEnded;
    const reply = { status, headers, body, headOnly: method === "HEAD", keepAlive, keepAliveMs: limits.keepAliveTimeoutMs };
    if (isStream(body) && !reply.headOnly && !isBodiless(status)) {
      const written = streamPlainReply(socket, reply, body);
      this.#watchSending();
      void written.then(() => this.#answered(keepAlive));
      return;
    }
    writePlainReply(socket, reply);
    if (socket.writableLength > 0) this.#watchSending();
    this.#answered(keepAlive);
  }

  #answered(keepAlive: boolean): void {
    const early = this.#early;
    this.#current = this.#early = undefined;
    this.idleLooks = 0;
    if (!keepAlive || this.#hasEnded || this.#parts.scope.draining) this.socket.destroySoon();
    else if (early !== undefined) this.#handOver(early);
    else if (this.socket.writableLength > mostUnsent) this.socket.pause();
  }

  /** A client that takes nothing of its reply for a while is cut. */
  #watchSending(): void {
    if (this.#isSendingWatched) return;
    this.#isSendingWatched = true;
    this.socket.on("timeout", this.#onTimeout);
    this.socket.on("drain", this.#onDrain);
    this.socket.setTimeout(this.#parts.scope.limits.sendTimeoutMs);
  }

  #unwatchSending(): void {
    if (!this.#isSendingWatched) return;
    this.#isSendingWatched = false;
    this.socket.setTimeout(0);
    this.socket.removeListener("timeout", this.#onTimeout);
    this.socket.removeListener("drain", this.#onDrain);
  }

  readonly #onTimeout = (): void => {
    if (this.socket.writableLength > 0) this.socket.destroy();
  };

  readonly #onDrain = (): void => {
    // While a stream goes on, its next piece may be the one that is not taken.
    if (this.#current !== undefined) return;
    this.#unwatchSending();
    if (this.socket.isPaused()) this.socket.resume();
  };

  #handOver(bytes: Buffer): void {
    const { socket } = this;
    this.#release();
    if (socket.destroyed) return;
    socket.pause();
    socket.unshift(bytes);
    this.#parts.toNode(socket);
    socket.resume();
  }

  /** Takes hands and eyes off the socket. */
  #release(): void {
    const { socket } = this;
    this.#stopWaiting();
    this.#unwatchSending();
    this.#current = this.#early = undefined;
    socket.removeListener("data", this.#onData);
    socket.removeListener("end", this.#onEnd);
    socket.removeListener("error", this.#onError);
    socket.removeListener("close", this.#onClose);
    this.#parts.left(this);
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.#begun !== undefined) this.socket.destroy();
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
