import type { AccessRequest } from "../http/access.ts";
import { addressSet, parseAddress } from "./address.ts";
import { headerOf } from "./credential-places.ts";

/** The address a request is judged by. */
export type ClientAddress = (request: AccessRequest) => string;

/** Proxies whose chain is followed; a longer one is made up. */
const longestChain = 20;

/**
 * The caller's address: the socket's, unless that is a proxy named as trusted. Then `X-Forwarded-For` is read from the right, where our own
 * proxies write, up to the first address that is none of them; what stands further left was written by strangers.
 */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return ({ remoteAddress }) => remoteAddress;
  const isTrusted = addressSet(trustedProxies);
  return (request) => {
    let address = request.remoteAddress;
    if (!isTrusted(address)) return address;
    const hops = forwardedFor(request).split(",").slice(-longestChain).reverse();
    for (const hop of hops) {
      const claimed = withoutPort(hop.trim());
      if (parseAddress(claimed) === undefined) return address;
      address = claimed;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
}

/** All lines of the header as one list: here, unlike with credentials, several lines are normal. */
function forwardedFor(request: AccessRequest): string {
  return headerOf(request, "x-forwarded-for", ",") ?? "";
}

function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] as string;
  const dotted = /^([\d.]+):\d+$/.exec(hop);
  return dotted === null ? hop : (dotted[1] as string);
}
