// Request bodies: buffered whole, within a limit that is checked before, while reading and while inflating.
import type { IncomingMessage } from "node:http";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { HttpError } from "./http-error.ts";

const nothing = Buffer.alloc(0);
const encodings = new Set(["", "gzip", "x-gzip", "deflate", "br"]);

/** What becomes of a body: exactly one of these is called, once. */
export interface BodyReceiver {
  received(body: Buffer): void;
  refused(error: HttpError): void;
  /** The client went away before the body was complete. */
  abandoned(): void;
}

/** The refusal of a body that needs no reading to be refused. */
export function refusalOf(bodyLength: number, encoding: string, limitBytes: number): HttpError | undefined {
  if (bodyLength > limitBytes) return tooLarge(limitBytes);
  return encodings.has(encoding) ? undefined : new HttpError(415, `unsupported content encoding '${encoding.slice(0, 40)}'`);
}

/** The reading of one body. A declared length ends it with its last byte; only a chunked body needs node's `end`. */
export class BodyReading {
  readonly #receiver: BodyReceiver;
  readonly #bodyLength: number;
  readonly #limitBytes: number;
  #first: Buffer | undefined = undefined;
  #more: Buffer[] | undefined = undefined;
  #size = 0;
  #settled = false;
  /** True once every byte is there. */
  isComplete = false;

  constructor(request: IncomingMessage, bodyLength: number, limitBytes: number, receiver: BodyReceiver) {
    this.#receiver = receiver;
    this.#bodyLength = bodyLength;
    this.#limitBytes = limitBytes;
    if (bodyLength === 0) {
      this.#complete();
      return;
    }
    request.on("data", (chunk: Buffer) => this.#take(chunk));
    if (bodyLength < 0) request.on("end", () => this.#complete());
  }

  /** The connection is gone: a body that is not complete never will be. */
  abandon(): void {
    if (this.#settle()) this.#receiver.abandoned();
  }

  #take(chunk: Buffer): void {
    if (this.#settled) return;
    this.#size += chunk.length;
    if (this.#size > this.#limitBytes) {
      this.#settle();
      this.#receiver.refused(tooLarge(this.#limitBytes));
      return;
    }
    if (this.#first === undefined) this.#first = chunk;
    else (this.#more ??= [this.#first]).push(chunk);
    if (this.#size === this.#bodyLength) this.#complete();
  }

  #complete(): void {
    const body = this.#more === undefined ? (this.#first ?? nothing) : Buffer.concat(this.#more, this.#size);
    if (!this.#settle()) return;
    this.isComplete = true;
    this.#receiver.received(body);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#first = this.#more = undefined;
    return true;
  }
}

/** Inflates a body; the limit counts inflated bytes, so that a small bomb stays small. */
export function inflateBody(body: Buffer, encoding: string, limitBytes: number, done: (error: HttpError | undefined, inflated: Buffer) => void): void {
  const finish = (error: (Error & { code?: string }) | null, inflated: Buffer): void => {
    if (error === null) done(undefined, inflated);
    else if (error.code === "ERR_BUFFER_TOO_LARGE") done(tooLarge(limitBytes), nothing);
    else done(new HttpError(400, `the body is not valid ${encoding}`), nothing);
  };
  // zlib refuses a limit of 0 and stops only when the output exceeds the limit.
  const options = { maxOutputLength: Math.max(1, limitBytes) };
  if (encoding === "br") brotliDecompress(body, options, finish);
  else if (encoding === "deflate") (hasZlibHeader(body) ? inflate : inflateRaw)(body, options, finish);
  else gunzip(body, options, finish);
}

/** Some senders of `deflate` leave the zlib wrapper out. */
function hasZlibHeader(body: Buffer): boolean {
  return body.length >= 2 && ((body[0] as number) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}

function tooLarge(limitBytes: number): HttpError {
  return new HttpError(413, `request body exceeds ${limitBytes} bytes`);
}
