// Passes one request at a time to the parser of node:http. Node parses everything a read returns, up to thousands of pipelined requests, and
// buffers all replies: a client that never reads could exhaust memory. Here, bytes after a request wait until its reply is sent, and the
// socket is not read until then.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { HeldBytes } from "./held-bytes.ts";
import type { TimeSlicedQueue } from "./time-sliced-queue.ts";

const headEnd = Buffer.from("\r\n\r\n", "latin1");
const headMethod = "HEAD ";
/** Empty lines before a head end its piece, so the method of a piece is among its first bytes. */
const methodWindow = 64;
/** Number of pieces parsed before other connections are served: a chunked body may consist of a very large number of pieces. */
const piecesPerTurn = 64;

export class RequestPacing {
  readonly #socket: Socket;
  readonly #held: HeldBytes;
  readonly #parse: (bytes: Buffer) => void;
  readonly #finish: () => void;
  readonly #queue: TimeSlicedQueue;
  /** Read from the client but not parsed yet. */
  #waiting: Buffer | undefined = undefined;
  /** False while node applies backpressure. */
  #isParserReady = true;
  #isReading = false;
  /** True when the bytes being parsed arrived before the previous reply was sent. */
  isPipelined = false;
  /** The first bytes of a head whose end has not been parsed, without empty lines before it. */
  #method = "";
  #isFeeding = false;
  #isScheduled = false;
  /** The client half-closed the connection. node:http is notified later; otherwise it would drop the waiting requests. */
  #hasEnded = false;
  #request: IncomingMessage | undefined = undefined;
  #response: ServerResponse | undefined = undefined;
  /** Bytes of the body that have not been parsed; -1 when it is chunked. */
  #bodyRemaining = 0;
  /** Waiting bytes counted in the memory budget. */
  #counted = 0;

  /** Replaces node's reading of a paused socket that was just passed to node's server. */
  constructor(socket: Socket, held: HeldBytes, queue: TimeSlicedQueue) {
    this.#socket = socket;
    this.#queue = queue;
    this.#held = held;
    socket.once("close", () => this.#count(0));
    this.#parse = takeListener(socket, "data");
    this.#finish = takeListener(socket, "end");
    // A data listener also makes node:http stop reading directly from the handle of the socket.
    socket.on("data", (chunk: Buffer) => this.receive(chunk));
    socket.on("end", () => this.#end());
    this.#hasEnded = socket.readableEnded;
    socket.pause = () => this.#setParserReady(false);
    socket.resume = () => this.#setParserReady(true);
  }

  /** Called when a head was read; `bodyLength` is -1 when the body is chunked. */
  requestStarted(request: IncomingMessage, response: ServerResponse, bodyLength: number): void {
    this.#request = request;
    this.#response = response;
    this.#method = "";
    this.#bodyRemaining = bodyLength;
    response.once("close", () => {
      if (this.#response !== response) return;
      this.#request = this.#response = undefined;
      this.isPipelined = this.#waiting !== undefined;
      if (this.isPipelined) this.#schedule();
    });
  }

  #setParserReady(isReady: boolean): Socket {
    this.#isParserReady = isReady;
    if (isReady && this.#waiting !== undefined) this.#schedule();
    this.#setReading();
    return this.#socket;
  }

  /** Whether the request being read gets a reply without a body, even if it cannot be read. */
  get isHeadRequest(): boolean {
    return this.#request === undefined ? this.#method === headMethod : this.#request.method === "HEAD";
  }

  /** Receives bytes from the client. */
  receive(chunk: Buffer): void {
    if (this.#waiting === undefined && this.#response === undefined) this.isPipelined = false;
    this.#waiting = this.#waiting === undefined ? chunk : Buffer.concat([this.#waiting, chunk]);
    if (!this.#isScheduled) this.#feed();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#passEnd();
  }

  #passEnd(): void {
    if (!this.#hasEnded || this.#waiting !== undefined) return;
    this.#hasEnded = false;
    this.#finish();
  }

  #feed(): void {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    try {
      for (let pieces = 0; this.#mayFeed; pieces++) {
        if (pieces === piecesPerTurn) {
          this.#schedule();
          break;
        }
        this.#parse(this.#nextPiece(this.#waiting as Buffer));
      }
    } finally {
      this.#isFeeding = false;
    }
    // After the last request of a connection, incoming data is read and discarded, so that the client gets the reply and not a reset.
    if (!this.#socket.writable) this.#waiting = undefined;
    this.#count(this.#waiting?.length ?? 0);
    this.#passEnd();
    this.#setReading();
  }

  get #mayFeed(): boolean {
    return this.#waiting !== undefined && this.#isParserReady && this.#socket.writable && !this.#isAnswering;
  }

  /** A complete request has been read and its reply has not been sent. */
  get #isAnswering(): boolean {
    return this.#response !== undefined && this.#request?.complete === true;
  }

  /** Cuts a piece that contains the end of at most one head. */
  #nextPiece(waiting: Buffer): Buffer {
    let length: number;
    if (this.#bodyRemaining > 0) {
      length = Math.min(this.#bodyRemaining, waiting.length);
      this.#bodyRemaining -= length;
    } else {
      const end = waiting.indexOf(headEnd);
      length = end < 0 ? waiting.length : end + headEnd.length;
      if (this.#response === undefined) this.#method = startOfHead(this.#method + waiting.toString("latin1", 0, Math.min(length, methodWindow)));
    }
    this.#waiting = length === waiting.length ? undefined : waiting.subarray(length);
    return waiting.subarray(0, length);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#queue.add(() => {
      this.#isScheduled = false;
      this.#feed();
    });
  }

  /** Counts the waiting bytes in the budget. If it is exhausted, the pipelining client is disconnected. */
  #count(bytes: number): void {
    if (bytes === this.#counted) return;
    this.#held.release(this.#counted);
    this.#counted = !this.#socket.destroyed && this.#held.take(bytes) ? bytes : 0;
    if (this.#counted !== bytes) this.#socket.destroy();
  }

  #setReading(): void {
    const shouldRead = this.#isParserReady && this.#waiting === undefined;
    if (shouldRead === this.#isReading) return;
    this.#isReading = shouldRead;
    const { pause, resume } = Socket.prototype;
    (shouldRead ? resume : pause).call(this.#socket);
  }
}

const startOfHead = (text: string): string => text.replace(/^[\r\n]+/, "").slice(0, headMethod.length);

/** Removes and returns the listener added last. */
function takeListener(socket: Socket, event: "data" | "end"): (...parameters: unknown[]) => void {
  const listener = socket.listeners(event).at(-1) as (...parameters: unknown[]) => void;
  socket.removeListener(event, listener);
  return listener.bind(socket);
}
