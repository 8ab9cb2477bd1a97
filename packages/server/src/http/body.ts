// Reads request bodies into memory within a limit that is checked before and during reading.
import type { IncomingMessage } from "node:http";
import type { HeldBytes } from "./held-bytes.ts";
import { ServiceError } from "../service-error.ts";

const emptyBody = Buffer.alloc(0);
/** Shorter pieces are copied into larger buffers: otherwise a client that sends single bytes would need an object for each. */
const shortPieceBytes = 4_096;
const joinedPieceBytes = 16_384;
const encodings = new Set(["", "gzip", "x-gzip", "deflate", "br"]);

/** Receives the outcome of reading a body: exactly one method is called, once. */
export interface BodyReceiver {
  /** The bytes are counted in the memory budget of the process; the receiver must release them. */
  received(body: Buffer): void;
  refused(error: ServiceError): void;
  /** The client disconnected before the body was complete. */
  abandoned(): void;
}

/** The error for a body that can be rejected without reading it. */
export function bodyError(bodyLength: number, encoding: string, limitBytes: number): ServiceError | undefined {
  if (bodyLength > limitBytes) return bodyTooLargeError(limitBytes);
  return encodings.has(encoding) ? undefined : new ServiceError("encoding-unsupported", `unsupported content encoding '${encoding.slice(0, 40)}'`);
}

export interface BodyReadingOptions {
  /** -1 when the body is chunked. */
  readonly bodyLength: number;
  readonly limitBytes: number;
  readonly held: HeldBytes;
}

/** Reads one body. With a declared length it completes at the last byte; only a chunked body needs node's `end`. */
export class BodyReading {
  readonly #receiver: BodyReceiver;
  readonly #options: BodyReadingOptions;
  #pieces: Buffer[] = [];
  /** Buffer for short pieces, and how much of it is used. */
  #joined: Buffer | undefined = undefined;
  #joinedLength = 0;
  #size = 0;
  #settled = false;
  /** True when all bytes have been received. */
  isComplete = false;

  constructor(request: IncomingMessage, options: BodyReadingOptions, receiver: BodyReceiver) {
    this.#receiver = receiver;
    this.#options = options;
    if (options.bodyLength === 0) {
      this.#complete();
      return;
    }
    request.on("data", (chunk: Buffer) => this.#take(chunk));
    if (options.bodyLength < 0) request.on("end", () => this.#complete());
  }

  /** The connection was closed: an incomplete body cannot be completed. */
  abandon(): void {
    if (!this.#settle()) return;
    this.#options.held.release(this.#size);
    this.#receiver.abandoned();
  }

  #take(chunk: Buffer): void {
    if (this.#settled) return;
    const { bodyLength, limitBytes, held } = this.#options;
    if (this.#size + chunk.length > limitBytes) {
      this.#reject(bodyTooLargeError(limitBytes));
      return;
    }
    if (!held.take(chunk.length)) {
      this.#reject(held.overloadError());
      return;
    }
    this.#size += chunk.length;
    if (chunk.length < shortPieceBytes && this.#size !== bodyLength) this.#join(chunk);
    else this.#append(chunk);
    if (this.#size === bodyLength) this.#complete();
  }

  #append(piece: Buffer): void {
    this.#closeJoined();
    this.#pieces.push(piece);
  }

  #join(chunk: Buffer): void {
    if (this.#joined === undefined || this.#joinedLength + chunk.length > joinedPieceBytes) {
      this.#closeJoined();
      this.#joined = Buffer.allocUnsafeSlow(joinedPieceBytes);
    }
    chunk.copy(this.#joined, this.#joinedLength);
    this.#joinedLength += chunk.length;
  }

  #closeJoined(): void {
    if (this.#joined !== undefined) this.#pieces.push(this.#joined.subarray(0, this.#joinedLength));
    this.#joined = undefined;
    this.#joinedLength = 0;
  }

  #reject(error: ServiceError): void {
    this.#settle();
    this.#options.held.release(this.#size);
    this.#receiver.refused(error);
  }

  #complete(): void {
    this.#closeJoined();
    const [first = emptyBody] = this.#pieces;
    const body = this.#pieces.length > 1 ? Buffer.concat(this.#pieces, this.#size) : first;
    if (!this.#settle()) return;
    this.isComplete = true;
    this.#receiver.received(body);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#pieces = [];
    this.#joined = undefined;
    return true;
  }
}

export function bodyTooLargeError(limitBytes: number): ServiceError {
  return new ServiceError("body-too-large", `request body exceeds ${limitBytes} bytes`);
}
