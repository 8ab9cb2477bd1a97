// Input of a format: text, bytes or a stream of either. For formats that need the whole input, a stream is collected up to a
// limit; the result is asynchronous only in this case.
import { FlowError, type Awaitable } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";

/** Maximum size that a format collects or decompresses, in bytes. */
export const maxPayloadBytes = 64 * 1024 * 1024;

/** Options every format has. */
export const commonFields = {
  id: f.string({ doc: "Id of a format in `dataFormats`, for references with `custom: {ref: <id>}`.", group: "advanced" }),
};

const encoder = new TextEncoder();

export type Chunk = Uint8Array | string;

export function isStream(body: unknown): body is AsyncIterable<Chunk> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** Calls `use` with the bytes of a body: immediately, or when a stream has been read. */
export function withBytes<T>(body: unknown, use: (bytes: Uint8Array) => Awaitable<T>): Awaitable<T> {
  if (isStream(body)) return collect(body).then(use);
  return use(body instanceof Uint8Array ? body : encoder.encode(asText(body)));
}

/** Calls `use` with the text of a body: immediately, or when a stream has been read. A byte order mark is removed. */
export function withText<T>(body: unknown, use: (text: string) => T): Awaitable<T> {
  if (isStream(body)) return collect(body).then((bytes) => use(asText(bytes)));
  const text = asText(body);
  return use(text.startsWith("\ufeff") ? text.slice(1) : text);
}

async function collect(body: AsyncIterable<Chunk>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
    size += bytes.length;
    if (size > maxPayloadBytes) throw payloadError("the body");
    chunks.push(bytes);
  }
  return concatBytes(chunks);
}

export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array;
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

export function payloadError(what: string, limit = maxPayloadBytes): FlowError {
  return new FlowError("java.lang.IllegalStateException", `size limit: ${what} is larger than ${limit} bytes`, {
    code: "limit-payload",
    details: { clientFault: true },
  });
}

/** The error for a body that does not match its format. */
export function invalidInput(format: string, message: string, cause?: unknown): FlowError {
  return new FlowError("org.apache.camel.TypeConversionException", message, { code: `invalid-${format}`, cause, details: { clientFault: true } });
}
