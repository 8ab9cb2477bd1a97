// Bodies that arrive in chunks, such as long files and responses. Expressions never read them; steps that need the whole body collect it first.
import { FlowError } from "../errors/flow-error.ts";
import { maxTextLength } from "./limit.ts";

export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** The bytes of a stream; throws when there are more than `maxBytes`. */
export async function collectStream(stream: AsyncIterable<unknown>, maxBytes = maxTextLength): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk instanceof Uint8Array ? chunk : encoder.encode(String(chunk));
    size += bytes.byteLength;
    if (size > maxBytes)
      throw new FlowError(
        "java.lang.IllegalStateException",
        `size limit: the body is a stream of more than ${maxBytes} bytes; split it instead of reading it all into memory`,
        {
          code: "limit-size",
        },
      );
    chunks.push(bytes);
  }
  const collected = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    collected.set(chunk, at);
    at += chunk.byteLength;
  }
  return collected;
}
