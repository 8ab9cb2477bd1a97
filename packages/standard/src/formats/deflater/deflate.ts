// Compresses in chunks, because compressing ten megabytes at once would block other runs for more than a second.
import type { Awaitable, Clock } from "@sluice/engine/spi";
import { Gzip, Zip, ZipDeflate, Zlib, type DeflateOptions } from "fflate";
import { concatBytes } from "../format-input.ts";
import { runIncrementally } from "../incremental.ts";

/** Bytes compressed at a time, about 10 ms. */
const stepSize = 64 * 1024;

/** A stream of the compression library. */
interface Compressor {
  push(chunk: Uint8Array, isFinal?: boolean): void;
}

/** Without a timestamp, the same bytes always produce the same result. */
export const gzip = (bytes: Uint8Array, clock: Clock | undefined): Awaitable<Uint8Array> =>
  compress(bytes, (onChunk) => new Gzip({ mtime: 0 }, onChunk), clock);

export const zlib = (bytes: Uint8Array, options: DeflateOptions, clock: Clock | undefined): Awaitable<Uint8Array> =>
  compress(bytes, (onChunk) => new Zlib(options, onChunk), clock);

/** A zip file with one entry. */
export function zip(entry: { readonly name: string; readonly time: Date; readonly bytes: Uint8Array }, clock: Clock | undefined): Awaitable<Uint8Array> {
  return compress(
    entry.bytes,
    (onChunk) => {
      const archive = new Zip((error, chunk) => {
        if (error !== null) throw error;
        onChunk(chunk);
      });
      const file = new ZipDeflate(entry.name);
      file.mtime = entry.time;
      archive.add(file);
      return {
        push(chunk, isFinal) {
          file.push(chunk, isFinal);
          if (isFinal === true) archive.end();
        },
      };
    },
    clock,
  );
}

function compress(bytes: Uint8Array, create: (onChunk: (chunk: Uint8Array) => void) => Compressor, clock: Clock | undefined): Awaitable<Uint8Array> {
  const chunks: Uint8Array[] = [];
  // The library reuses its buffers, so the output is copied.
  const compressor = create((chunk) => void chunks.push(chunk.slice()));
  return runIncrementally(pushChunks(bytes, compressor), () => concatBytes(chunks), clock);
}

function* pushChunks(bytes: Uint8Array, compressor: Compressor): Generator<undefined> {
  let at = 0;
  do {
    compressor.push(bytes.subarray(at, at + stepSize), at + stepSize >= bytes.length);
    at += stepSize;
    yield undefined;
  } while (at < bytes.length);
}
