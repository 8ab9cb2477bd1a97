import type { AccessRequest } from "../http/access.ts";
import { addressSet, parseAddress } from "./address.ts";
import { headerOf } from "./credential-locations.ts";

/** Determines the address of the client. */
export type ClientAddress = (request: AccessRequest) => string;

/** Maximum number of `X-Forwarded-For` entries that are read, from the right. */
const maxProxies = 20;

/**
 * Returns the address of the socket, unless it is a trusted proxy. Then `X-Forwarded-For` is read from the right, where trusted
 * proxies append, up to the first untrusted address. Anything further left can be forged.
 */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return ({ remoteAddress }) => remoteAddress;
  const isTrusted = addressSet(trustedProxies);
  return (request) => {
    let address = request.remoteAddress;
    if (!isTrusted(address)) return address;
    const hops = forwardedFor(request).split(",").slice(-maxProxies).toReversed();
    for (const hop of hops) {
      const claimed = withoutPort(hop.trim());
      if (parseAddress(claimed) === undefined) return address;
      address = claimed;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
}

/** All header lines as one list: unlike credentials, this header may be repeated. */
function forwardedFor(request: AccessRequest): string {
  return headerOf(request, "x-forwarded-for", ",") ?? "";
}

function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] as string;
  const dotted = /^([\d.]+):\d+$/.exec(hop);
  return dotted === null ? hop : (dotted[1] as string);
}
