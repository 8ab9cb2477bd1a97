// W3C trace context: parses `traceparent`, creates ids, writes `traceresponse`.
import type { TraceContext } from "@sluice/engine/spi";
import { copyString } from "@sluice/engine/values";

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
/** An id keeps the string from which it was sliced in memory for as long as its run is stored, so that string is short. */
const idsAtOnce = 32;

const ascii = new TextDecoder();
/** The two hexadecimal digits of every byte, as a lookup table. */
const digitPairs = new Uint16Array(new TextEncoder().encode(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0")).join("")).buffer);

/** Creates ids from a buffer of random digits: generating each one separately costs more than the rest of a webhook response. */
export class TraceIds {
  readonly #random: () => number;
  readonly #numbers = new Uint32Array(idsAtOnce * 6);
  readonly #bytes = new Uint8Array(this.#numbers.buffer);
  readonly #pairs = new Uint16Array(this.#bytes.length);
  #digits = "";
  #next = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** The context of a new run: continues the caller's trace when its header is valid, otherwise starts a new one. */
  contextOf(header: string | undefined, httpHops?: number): TraceContext {
    const caller = header === undefined ? undefined : parseTraceparent(header);
    if (caller !== undefined) return { traceId: caller.traceId, spanId: this.#take(16), parentSpanId: caller.spanId, sampled: caller.sampled, httpHops };
    return { traceId: this.#take(32), spanId: this.#take(16), parentSpanId: undefined, sampled: true };
  }

  #take(length: number): string {
    if (this.#next + length > this.#digits.length) this.#refill();
    const digits = this.#digits.slice(this.#next, this.#next + length);
    this.#next += length;
    return digits;
  }

  #refill(): void {
    for (let index = 0; index < this.#numbers.length; index++) this.#numbers[index] = this.#random() * 0x100000000;
    for (let index = 0; index < this.#bytes.length; index++) this.#pairs[index] = digitPairs[this.#bytes[index] as number] as number;
    // Decoding all digits at once yields a flat string that is cheap to slice. This code also runs in browsers, which have no alternative.
    this.#digits = ascii.decode(this.#pairs);
    this.#next = 0;
  }
}

export function parseTraceparent(header: string): { readonly traceId: string; readonly spanId: string; readonly sampled: boolean } | undefined {
  const match = traceparent.exec(header.trim());
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, rest] = match as unknown as readonly [string, string, string, string, string, string | undefined];
  // A later version may append fields, version 00 may not; ff is not a valid version.
  if (version === "ff" || (version === "00" && rest !== undefined) || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  // Copied, because a slice would keep the whole request head alive with the run.
  return { traceId: copyString(traceId), spanId: copyString(spanId), sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceResponse(trace: TraceContext): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? "01" : "00"}`;
}
