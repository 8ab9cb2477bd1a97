// Bounded decompression: the input is fed in chunks, so that a decompression bomb is detected early.
import { Gunzip, Inflate, Unzlib } from "fflate";
import { isFlowError, type Awaitable, type Clock } from "@sluice/engine/spi";
import { concatBytes, invalidInput, maxPayloadBytes, payloadError } from "../format-input.ts";
import { runIncrementally } from "../incremental.ts";

const decompressors = { gzip: Gunzip, zlib: Unzlib, raw: Inflate } as const;
/** Size of an input chunk. Its decompressed data may be a thousand times as long. */
const pieceSize = 4 * 1024;

interface InflateOptions {
  readonly encoding: keyof typeof decompressors;
  readonly format: string;
  /** Maximum size of the result, in bytes. */
  readonly limit?: number;
  readonly clock: Clock | undefined;
}

/** Decompresses bytes, in slices when it takes long; fails when the result exceeds the limit or the input is corrupt. */
export function inflate(compressed: Uint8Array, { encoding, format, limit = maxPayloadBytes, clock }: InflateOptions): Awaitable<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isComplete = false;
  const stream = new decompressors[encoding]((chunk, isFinal) => {
    size += chunk.length;
    if (size > limit) throw payloadError("the decompressed body", limit);
    // The library reuses its buffers, so the output is copied.
    chunks.push(chunk.slice());
    isComplete ||= isFinal;
  });
  function* pushChunks(): Generator<undefined> {
    try {
      for (let at = 0; at < compressed.length; at += pieceSize) {
        stream.push(compressed.subarray(at, at + pieceSize), at + pieceSize >= compressed.length);
        yield undefined;
      }
    } catch (cause) {
      if (isFlowError(cause)) throw cause;
      throw invalidInput(format, `the body cannot be decompressed: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
    }
    if (!isComplete) throw invalidInput(format, "the body cannot be decompressed: unexpected end of data");
  }
  return runIncrementally(pushChunks(), () => concatBytes(chunks), clock);
}
