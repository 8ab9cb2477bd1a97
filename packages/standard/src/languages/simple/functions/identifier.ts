// Unique ids in the formats of Camel's generators. Randomness comes from the host.
import type { Host } from "@sluice/engine/spi";

interface Counter {
  readonly seed: string;
  readonly startedAt: number;
  next: number;
}
const counters = new WeakMap<Host, Counter>();

function counterOf(host: Host): Counter {
  let counter = counters.get(host);
  if (counter === undefined) {
    counter = { seed: hex(host, 15), startedAt: host.clock.now(), next: 0 };
    counters.set(host, counter);
  }
  return counter;
}

/** The generator for ids of this kind; undefined for an unknown kind. */
export function identifier(kind: string, host: Host): (() => string) | undefined {
  switch (kind) {
    case "default":
      return () => `${counterOf(host).seed}-${nextCount(host, 16)}`;
    case "short":
      return () => `${counterOf(host).seed.slice(0, 5)}-${nextCount(host, 10)}`;
    case "classic":
      return () => `ID-${host.environment("HOSTNAME") ?? "localhost"}-${counterOf(host).startedAt}-0-${++counterOf(host).next}`;
    case "simple":
      return () => String(++counterOf(host).next);
    case "random":
      return () => randomUuid(host);
    default:
      return undefined;
  }
}

/** A random UUID, version 4. */
function randomUuid(host: Host): string {
  const digits = hex(host, 32).toLowerCase();
  const variant = "89ab"[Math.floor(host.random() * 4)] as string;
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}

function nextCount(host: Host, width: number): string {
  return (++counterOf(host).next).toString(16).toUpperCase().padStart(width, "0");
}

function hex(host: Host, length: number): string {
  let text = "";
  while (text.length < length)
    text += Math.floor(host.random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0");
  return text.slice(0, length).toUpperCase();
}
