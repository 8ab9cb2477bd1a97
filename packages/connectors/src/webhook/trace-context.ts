// W3C trace context: reading `traceparent`, making new ids, telling the caller in `traceresponse`.
import { ownText, type TraceContext } from "@sluice/engine/spi";

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
/** Ids hold on to the digits they were cut from for as long as a run is remembered, so these are few. */
const idsAtOnce = 32;

const ascii = new TextDecoder();
/** Of every byte the two characters that write it, next to each other in memory. */
const digitPairs = new Uint16Array(new TextEncoder().encode(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0")).join("")).buffer);

/** New ids, cut from a store of random digits: making each one by itself cost more than the rest of a webhook's reply. */
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

  /** The context of a new run: the caller's trace goes on when its header is valid, otherwise a new one begins. */
  contextOf(header: string | undefined): TraceContext {
    const caller = header === undefined ? undefined : parseTraceparent(header);
    if (caller !== undefined) return { traceId: caller.traceId, spanId: this.#take(16), parentSpanId: caller.spanId, sampled: caller.sampled };
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
    // Decoded as a whole the text is flat, and cutting from it is cheap; pages, which run this as well, have no other way.
    this.#digits = ascii.decode(this.#pairs);
    this.#next = 0;
  }
}

export function parseTraceparent(header: string): { readonly traceId: string; readonly spanId: string; readonly sampled: boolean } | undefined {
  const match = traceparent.exec(header.trim());
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, rest] = match as unknown as readonly [string, string, string, string, string, string | undefined];
  // A later version may append fields, version 00 may not; ff is no version.
  if (version === "ff" || (version === "00" && rest !== undefined) || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  // Remembered with the run, and cut from the head of its request.
  return { traceId: ownText(traceId), spanId: ownText(spanId), sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceResponse(trace: TraceContext): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? "01" : "00"}`;
}
