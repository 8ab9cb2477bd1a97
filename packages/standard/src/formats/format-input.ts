// What a format reads. Bodies may be text, bytes or a stream of either; a format that cannot read piecemeal has the
// stream collected, up to a limit, and waits only then.
import { FlowError, asText, type Awaitable } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** The most a format collects or unpacks, in bytes. */
export const largestPayload = 64 * 1024 * 1024;

/** Options every format has. */
export const commonFields = {
  id: f.string({ doc: "The name under which `custom: {ref}` finds a format declared in `dataFormats`.", group: "advanced" }),
};

const encoder = new TextEncoder();

export type Chunk = Uint8Array | string;

export function isStream(body: unknown): body is AsyncIterable<Chunk> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** Calls `use` with the bytes of a body: at once, or when a stream has been read. */
export function withBytes<T>(body: unknown, use: (bytes: Uint8Array) => T): Awaitable<T> {
  if (isStream(body)) return collect(body).then(use);
  return use(body instanceof Uint8Array ? body : encoder.encode(asText(body)));
}

/** Calls `use` with the text of a body: at once, or when a stream has been read. A byte order mark is dropped. */
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
    if (size > largestPayload) throw payloadError("the body");
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

export function payloadError(what: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `size limit: ${what} is larger than ${largestPayload} bytes`, {
    code: "limit-payload",
    details: { clientFault: true },
  });
}

/** The fault of a message that is not what its format says. */
export function invalidInput(format: string, message: string, cause?: unknown): FlowError {
  return new FlowError("org.apache.camel.TypeConversionException", message, { code: `invalid-${format}`, cause, details: { clientFault: true } });
}
