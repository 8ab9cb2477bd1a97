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

/** Reads the bytes as they were sent. */
export function receiveBody(request: IncomingMessage, bodyLength: number, limitBytes: number, receiver: BodyReceiver): void {
  if (bodyLength === 0) {
    receiver.received(nothing);
    return;
  }
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  let settled = false;
  request.on("data", (chunk: Buffer) => {
    if (settled) return;
    size += chunk.length;
    if (size > limitBytes) {
      settled = true;
      first = more = undefined;
      receiver.refused(tooLarge(limitBytes));
    } else if (first === undefined) first = chunk;
    else (more ??= [first]).push(chunk);
  });
  request.on("end", () => {
    if (settled) return;
    settled = true;
    const body = more === undefined ? (first ?? nothing) : Buffer.concat(more, size);
    first = more = undefined;
    receiver.received(body);
  });
  request.on("close", () => {
    if (settled) return;
    settled = true;
    receiver.abandoned();
  });
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
