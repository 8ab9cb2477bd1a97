// The client address of a request: that of the socket, or the one reported by a trusted proxy.
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";

export type RequestSource = (request: IncomingMessage) => string;

/** `trustedProxies` are addresses or networks (`10.0.0.0/8`). Throws for an entry that is neither. */
export function requestSource(trustedProxies: readonly string[]): RequestSource {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", bits, ...rest] = entry.split("/");
    const family = familyOf(address);
    const maxBits = family === "ipv6" ? 128 : 32;
    if (isIP(address) === 0 || rest.length > 0 || (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= maxBits))) {
      throw new Error(`'${entry}' is not an address or network, such as 10.0.0.1 or 10.0.0.0/8`);
    }
    trusted.addSubnet(address, bits === undefined ? maxBits : Number(bits), family);
  }
  const isTrusted = (address: string): boolean => isIP(address) !== 0 && trusted.check(address, familyOf(address));
  return (request) => {
    let address = unmapIPv4(request.socket.remoteAddress ?? "");
    // Proxies append on the right. Everything to the left of the first untrusted address may be forged by the client.
    const hops = [request.headers["x-forwarded-for"] ?? ""].flat().join(",").split(",").toReversed();
    for (const hop of hops) {
      const claimed = unmapIPv4(hop.trim());
      if (!isTrusted(address) || isIP(claimed) === 0) break;
      address = claimed;
    }
    return networkOf(address);
  };
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");

const unmapIPv4 = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

/** Reduces an IPv6 address to its /64 network, because a subscriber usually owns all addresses in it. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter((group) => group !== "").length;
  return [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail ?? "").split(":").filter((group) => group !== "")]
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(":");
}
