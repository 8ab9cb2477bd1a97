// Decompresses request bodies within the memory budget: the maximum size is reserved before decompression, and the unused part is
// released afterwards.
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { bodyTooLargeError } from "./body.ts";
import type { HeldBytes } from "./held-bytes.ts";
import { ServiceError } from "../service-error.ts";

/** The default size of libuv's thread pool, which runs zlib; further jobs would only use memory while they wait for a thread. */
const maxConcurrent = 4;
/** The highest compression ratio of deflate. */
const deflateRatio = 1_032;
const minChunkBytes = 1_024;
const defaultChunkBytes = 65_536;

const emptyBody = Buffer.alloc(0);

export interface CompressedBody {
  readonly bytes: Buffer;
  readonly encoding: string;
  /** Maximum decompressed size. */
  readonly limitBytes: number;
}

/** Called once. Decompressed bytes are counted in the budget; the receiver must release them. */
export type InflateCallback = (error: ServiceError | undefined, inflated: Buffer) => void;

interface InflateJob {
  readonly body: CompressedBody;
  readonly done: InflateCallback;
}

export class Inflation {
  readonly #held: HeldBytes;
  readonly #queue: InflateJob[] = [];
  #running = 0;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  inflate(body: CompressedBody, done: InflateCallback): void {
    this.#queue.push({ body, done });
    this.#startNext();
  }

  #startNext(): void {
    for (let [next] = this.#queue; next !== undefined && this.#running < maxConcurrent; [next] = this.#queue) {
      const maxBytes = maxBytesOf(next.body);
      const hasRoom = this.#held.take(maxBytes);
      // Running jobs may release part of their reservation.
      if (!hasRoom && this.#running > 0) return;
      this.#queue.shift();
      if (hasRoom) this.#start(next, maxBytes);
      else next.done(this.#held.overloadError(), emptyBody);
    }
  }

  #start({ body, done }: InflateJob, reserved: number): void {
    this.#running++;
    inflateBytes(body, (error, inflated) => {
      this.#running--;
      this.#held.release(reserved - inflated.length);
      done(error, inflated);
      this.#startNext();
    });
  }
}

function maxBytesOf({ bytes, encoding, limitBytes }: CompressedBody): number {
  return encoding === "br" ? limitBytes : Math.min(limitBytes, bytes.length * deflateRatio);
}

function inflateBytes({ bytes, encoding, limitBytes }: CompressedBody, done: InflateCallback): void {
  const finish = (error: (Error & { code?: string }) | null, inflated: Buffer): void => {
    if (error === null) done(undefined, inflated);
    else if (error.code === "ERR_BUFFER_TOO_LARGE") done(bodyTooLargeError(limitBytes), emptyBody);
    else done(new ServiceError("body-invalid", `the body is not valid ${encoding}`), emptyBody);
  };
  // zlib rejects a limit of 0, and stops only when the output exceeds the limit.
  const maxOutputLength = Math.max(1, limitBytes);
  const options = { maxOutputLength, chunkSize: defaultChunkBytes };
  if (encoding === "br") brotliDecompress(bytes, options, finish);
  else if (encoding === "deflate") (hasZlibHeader(bytes) ? inflate : inflateRaw)(bytes, options, finish);
  else gunzip(bytes, { maxOutputLength, chunkSize: gzipChunk(bytes, maxOutputLength) }, finish);
}

/** Gzip ends with the decompressed size: output that fits into one chunk is not copied. A wrong size only costs a copy. */
function gzipChunk(bytes: Buffer, limitBytes: number): number {
  if (bytes.length < 4) return minChunkBytes;
  // One byte more, or zlib would request a second chunk to detect the end.
  return Math.max(minChunkBytes, Math.min(bytes.readUInt32LE(bytes.length - 4), bytes.length * deflateRatio, limitBytes) + 1);
}

/** Some clients send `deflate` without the zlib header. */
function hasZlibHeader(body: Buffer): boolean {
  return body.length >= 2 && ((body[0] as number) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
