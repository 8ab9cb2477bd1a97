// Bounded decompression: the input is fed in chunks, so that a decompression bomb is detected early.
import { Gunzip, Inflate, Unzlib } from "fflate";
import { isFlowError } from "@sluice/engine/spi";
import { concatBytes, invalidInput, maxPayloadBytes, payloadError } from "../format-input.ts";

const packings = { gzip: Gunzip, zlib: Unzlib, raw: Inflate } as const;
const pieceSize = 16 * 1024;

/** Decompresses bytes; throws when the result exceeds `limit` or the input is corrupt. */
export function inflate(packed: Uint8Array, packing: keyof typeof packings, format: string, limit = maxPayloadBytes): Uint8Array {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isComplete = false;
  const stream = new packings[packing]((chunk, isFinal) => {
    size += chunk.length;
    if (size > limit) throw payloadError("the decompressed body");
    // The library reuses its buffers, so the output is copied.
    chunks.push(chunk.slice());
    isComplete ||= isFinal;
  });
  try {
    for (let at = 0; at < packed.length; at += pieceSize) stream.push(packed.subarray(at, at + pieceSize), at + pieceSize >= packed.length);
  } catch (cause) {
    if (isFlowError(cause)) throw cause;
    throw invalidInput(format, `the body cannot be decompressed: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  if (!isComplete) throw invalidInput(format, "the body cannot be decompressed: it ends too early");
  return concatBytes(chunks);
}
