// Unpacking with an end: the packed bytes are fed in pieces, so that a bomb is noticed after the first megabytes too many.
import { Gunzip, Inflate, Unzlib } from "fflate";
import { FlowError } from "@sluice/engine/spi";
import { concatBytes, invalidInput, largestPayload, payloadError } from "../format-input.ts";

const packings = { gzip: Gunzip, zlib: Unzlib, raw: Inflate } as const;
const pieceSize = 16 * 1024;

/** The unpacked bytes; throws when they exceed `limit` or the packing is damaged. */
export function inflate(packed: Uint8Array, packing: keyof typeof packings, format: string, limit = largestPayload): Uint8Array {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isComplete = false;
  const stream = new packings[packing]((chunk, isFinal) => {
    size += chunk.length;
    if (size > limit) throw payloadError("the unpacked body");
    // The library reuses its buffers for what follows.
    chunks.push(chunk.slice());
    isComplete ||= isFinal;
  });
  try {
    for (let at = 0; at < packed.length; at += pieceSize) stream.push(packed.subarray(at, at + pieceSize), at + pieceSize >= packed.length);
  } catch (cause) {
    if (cause instanceof FlowError) throw cause;
    throw invalidInput(format, `the body cannot be unpacked: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  if (!isComplete) throw invalidInput(format, "the body cannot be unpacked: it ends too early");
  return concatBytes(chunks);
}
