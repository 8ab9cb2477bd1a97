// IP addresses and networks. `::ffff:a.b.c.d` is treated as the IPv4 address.
import { isIPv4, isIPv6 } from "node:net";

/** An address in 32-bit words: one for IPv4, four for IPv6. */
export type Address = readonly number[];

interface Network {
  readonly words: Address;
  readonly bits: number;
}

/** Parses an address; undefined if it is invalid. A zone (`%eth0`) does not identify the caller and is dropped. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return [wordOf(text)];
  if (!isIPv6(text)) return undefined;
  const zone = text.indexOf("%");
  const words = wordsOf(zone < 0 ? text : text.slice(0, zone));
  return words[0] === 0 && words[1] === 0 && words[2] === 0xffff ? [words[3] as number] : words;
}

function wordOf(text: string): number {
  return text.split(".").reduce((word, part) => ((word << 8) | Number(part)) >>> 0, 0);
}

function wordsOf(text: string): Address {
  const lastColon = text.lastIndexOf(":");
  const dotted = text.includes(".") ? wordOf(text.slice(lastColon + 1)) : undefined;
  const plain = dotted === undefined ? text : `${text.slice(0, lastColon + 1)}${(dotted >>> 16).toString(16)}:${(dotted & 0xffff).toString(16)}`;
  const [head = "", tail] = plain.split("::");
  const leading = head === "" ? [] : head.split(":");
  const trailing = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [...leading, ...Array<string>(8 - leading.length - trailing.length).fill("0"), ...trailing].map((group) => Number.parseInt(group, 16));
  return [0, 2, 4, 6].map((index) => (((groups[index] as number) << 16) | (groups[index + 1] as number)) >>> 0);
}

/** Parses `10.0.0.0/8`, `2001:db8::/32` or a single address; undefined if it is invalid. */
export function parseNetwork(text: string): Network | undefined {
  const [address = "", length, ...rest] = text.split("/");
  const words = parseAddress(address);
  if (words === undefined || rest.length > 0) return undefined;
  const isMapped = words.length === 1 && address.includes(":");
  const size = words.length * 32;
  if (length === undefined) return { words, bits: size };
  if (!/^\d{1,3}$/.test(length)) return undefined;
  const bits = Number(length) - (isMapped ? 96 : 0);
  return bits < 0 || bits > size ? undefined : { words, bits };
}

function isIn(address: Address, { words, bits }: Network): boolean {
  if (address.length !== words.length) return false;
  for (let index = 0, remaining = bits; remaining > 0; index++, remaining -= 32) {
    const mask = remaining >= 32 ? 0xffffffff : ~(0xffffffff >>> remaining);
    if ((((address[index] as number) ^ (words[index] as number)) & mask) !== 0) return false;
  }
  return true;
}

const maxCached = 1_000;

/** Returns a function that checks whether an address is in one of the networks. Invalid addresses are in none. */
export function addressSet(networks: readonly string[]): (address: string) => boolean {
  const parsed = networks.map((text) => {
    const network = parseNetwork(text);
    if (network === undefined) throw new Error(`'${text}' is not an address or network such as 10.0.0.0/8`);
    return network;
  });
  // Cache results: callers usually have few addresses.
  const cache = new Map<string, boolean>();
  return (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const address = parseAddress(text);
    const isMember = address !== undefined && parsed.some((network) => isIn(address, network));
    if (cache.size >= maxCached) cache.clear();
    cache.set(text, isMember);
    return isMember;
  };
}

/** The rate-limit key of an address: the /64 network for IPv6, otherwise the address as written. */
export function sourceOf(text: string): string {
  const address = parseAddress(text);
  return address === undefined || address.length === 1 ? text : `${address[0]?.toString(16)}:${address[1]?.toString(16)}::/64`;
}
