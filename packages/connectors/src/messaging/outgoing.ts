// Prepares a message for a broker: the body as bytes and the headers that leave the runtime.
import type { Awaitable, Exchange, Message } from "@sluice/engine/spi";
import { asJson, collectStream, isStream } from "@sluice/engine/values";

export const internalName = /^(?:camel|sluice|org\.apache\.camel)/i;

/** Text and bytes unchanged, everything else as JSON; undefined without a body. A stream is collected. */
export function payloadOf(body: unknown): Awaitable<Buffer | undefined> {
  if (body === null || body === undefined) return undefined;
  if (body instanceof Uint8Array) return asBuffer(body);
  if (typeof body === "string") return Buffer.from(body);
  if (isStream(body)) return collectStream(body).then(asBuffer);
  return Buffer.from(asJson(body));
}

/** Replaces a body that is a stream with its bytes, so that a retry can send them again. */
export async function collectBody(message: Message, maxBytes?: number): Promise<void> {
  if (isStream(message.body)) message.body = await collectStream(message.body, maxBytes);
}

/** A view of the same memory, without a copy. */
const asBuffer = (bytes: Uint8Array): Buffer => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));

/** Headers set by the route or received from a broker, as text. `omits` is true for headers that the protocol transmits elsewhere. */
export function headersOf(exchange: Pick<Exchange, "message" | "run">, omits?: (key: string) => boolean): readonly (readonly [string, string])[] {
  return headerValuesOf(exchange, omits).map(([name, value]) => [name, headerText(value)]);
}

/** The same headers with unchanged values, for protocols with typed headers. */
export function headerValuesOf(
  { message, run }: Pick<Exchange, "message" | "run">,
  omits: (key: string) => boolean = () => false,
): readonly (readonly [string, unknown])[] {
  const sent: [string, unknown][] = [];
  for (const [name, value] of message.headers.outgoing()) {
    if (value === null || value === undefined || internalName.test(name) || omits(name.toLowerCase())) continue;
    if (run.trace !== undefined && name.toLowerCase() === "traceparent") continue;
    sent.push([name, value]);
  }
  const { trace } = run;
  if (trace !== undefined) sent.push(["traceparent", `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? "01" : "00"}`]);
  return sent;
}

export function headerText(value: unknown): string {
  if (typeof value === "string") return value;
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : asJson(value);
}
