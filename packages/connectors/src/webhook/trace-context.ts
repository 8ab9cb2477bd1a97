// W3C trace context: reading `traceparent`, making new ids, telling the caller in `traceresponse`.
import type { TraceContext } from "@sluice/engine/spi";

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The context of a new run: the caller's trace goes on when its header is valid, otherwise a new one begins. */
export function traceOf(header: string | undefined, random: () => number): TraceContext {
  const caller = header === undefined ? undefined : parseTraceparent(header);
  const spanId = randomHex(random) + randomHex(random).slice(0, 4);
  if (caller === undefined)
    return { traceId: randomHex(random) + randomHex(random) + randomHex(random).slice(0, 8), spanId, parentSpanId: undefined, sampled: true };
  return { traceId: caller.traceId, spanId, parentSpanId: caller.spanId, sampled: caller.sampled };
}

export function parseTraceparent(header: string): { readonly traceId: string; readonly spanId: string; readonly sampled: boolean } | undefined {
  const match = traceparent.exec(header.trim());
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, rest] = match as unknown as readonly [string, string, string, string, string, string | undefined];
  // A later version may append fields, version 00 may not; ff is no version.
  if (version === "ff" || (version === "00" && rest !== undefined) || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceResponse(trace: TraceContext): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? "01" : "00"}`;
}

/** Six random bytes as twelve digits: as many as one random number surely holds. */
function randomHex(random: () => number): string {
  const number = random() * 0x1000000000000;
  const high = Math.floor(number / 0x1000000);
  const low = Math.floor(number % 0x1000000);
  return `${hex[high >>> 16]}${hex[(high >>> 8) & 255]}${hex[high & 255]}${hex[low >>> 16]}${hex[(low >>> 8) & 255]}${hex[low & 255]}`;
}
