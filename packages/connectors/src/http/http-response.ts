// Reads a response up to its size limit into the message. Its headers are marked as received from outside: they can be read,
// but they control no step and are not forwarded.
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { FlowError, Headers, type Message } from "@sluice/engine/spi";
import type { HttpOptions } from "./http-shape.ts";

const hopByHop = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"]);
const decoders = { gzip: promisify(gunzip), "x-gzip": promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };

/** The decompressed body. Above the limit it fails, or is truncated with `truncate`. */
export async function readResponse({ body, headers }: Dispatcher.ResponseData, limit: number, truncate = false): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > limit) {
      if (!truncate) throw tooLong(limit);
      break;
    }
  }
  return unpack(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks), headers["content-encoding"], limit, truncate);
}

async function unpack(bytes: Uint8Array, encoding: string | string[] | undefined, limit: number, truncate: boolean): Promise<Uint8Array> {
  const decode =
    typeof encoding === "string" && Object.hasOwn(decoders, encoding.toLowerCase()) ? decoders[encoding.toLowerCase() as keyof typeof decoders] : undefined;
  if (decode === undefined || bytes.byteLength === 0) return bytes;
  try {
    return await decode(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if (truncate) return new Uint8Array(0);
    if (cause instanceof RangeError) throw tooLong(limit);
    throw new FlowError("java.io.IOException", `the response has content encoding ${encoding as string} but cannot be decompressed`, {
      code: "http-bad-encoding",
      cause,
    });
  }
}

function tooLong(limit: number): FlowError {
  return new FlowError("java.lang.IllegalStateException", `size limit: the response is larger than maxResponseSize (${limit} bytes)`, { code: "limit-size" });
}

/** How a response changes the message. */
export type ResponseOptions = Pick<HttpOptions, "ignoreResponseBody" | "disableStreamCache" | "maxResponseSize" | "skipResponseHeaders" | "copyHeaders">;

export async function applyResponse(message: Message, response: Dispatcher.ResponseData, statusText: string, options: ResponseOptions): Promise<void> {
  const { statusCode } = response;
  const noBody = statusCode === 204 || statusCode === 304;
  let body: unknown = null;
  if (options.ignoreResponseBody || noBody) await response.body.dump();
  else if (options.disableStreamCache) body = response.body;
  else body = await readResponse(response, options.maxResponseSize);
  message.body = body;
  message.headers = mergeHeaders(message.headers, responseHeaders(response, options), options.copyHeaders);
  message.headers.set("CamelHttpResponseCode", statusCode);
  message.headers.set("CamelHttpResponseText", statusText);
}

function responseHeaders(
  { headers }: Dispatcher.ResponseData,
  { skipResponseHeaders, disableStreamCache }: ResponseOptions,
): Map<string, readonly [string, unknown]> {
  const responseEntries = new Map<string, readonly [string, unknown]>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (value === undefined || hopByHop.has(key) || key.startsWith("camel")) continue;
    if (skipResponseHeaders && key !== "content-type") continue;
    // The body was decompressed, so these headers no longer apply.
    if (!disableStreamCache && (key === "content-encoding" || (key === "content-length" && headers["content-encoding"] !== undefined))) continue;
    responseEntries.set(key, [canonicalName(key), value]);
  }
  return responseEntries;
}

const canonicalName = (key: string): string => key.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());

function mergeHeaders(messageHeaders: Headers, responseEntries: Map<string, readonly [string, unknown]>, keep: boolean): Headers {
  if (!keep) return new Headers({ entries: () => responseEntries.values() });
  const routeHeaders = new Map([...messageHeaders.own()].map(([name, value]) => [name.toLowerCase(), [name, value] as const]));
  const otherHeaders = [...messageHeaders].filter(([name]) => !routeHeaders.has(name.toLowerCase()) && !responseEntries.has(name.toLowerCase()));
  const merged = new Headers({ entries: () => [...otherHeaders, ...responseEntries.values()] });
  for (const [key, [name, value]] of routeHeaders) if (!responseEntries.has(key)) merged.set(name, value);
  return merged;
}
