// Restricts calls whose address came from a message. The check applies to the resolved address of the connection, so that DNS
// rebinding cannot bypass it.
import { lookup as resolve, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { FlowError } from "@sluice/engine/spi";

/** Targets an operator allows beyond the public Internet. */
export interface EgressPolicy {
  /** Whether addresses from messages may be private, loopback or link-local. */
  readonly allowPrivate?: boolean;
  /** Private hosts (`host` or `host:port`) that messages may name. */
  readonly allowHosts?: readonly string[];
}

const nonPublic = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  nonPublic.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  nonPublic.addSubnet(network, prefix, "ipv6");

/** True for loopback, private, link-local and other non-public addresses. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return nonPublic.check(address, family === 4 ? "ipv4" : "ipv6");
}

export class EgressDenied extends Error {}

/** Throws when a URL contains a non-public address; host names are checked when they are resolved. */
export function checkLiteralAddress(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw new EgressDenied(host);
}

export function isExempt(url: URL, policy: EgressPolicy): boolean {
  return policy.allowPrivate === true || (policy.allowHosts ?? []).some((allowed) => allowed === url.host || allowed === url.hostname);
}

/** DNS lookup that returns only public addresses, and fails when a name has none. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error !== null) return callback(error, "", 0);
    const publicAddresses = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = publicAddresses;
    if (first === undefined) return callback(new EgressDenied(hostname), "", 0);
    if (options.all === true) callback(null, publicAddresses);
    else callback(null, first.address, first.family);
  });
};

export function egressError(target: string, cause?: unknown): FlowError {
  return new FlowError("java.lang.SecurityException", `egress denied: ${target} is not a public address, and it came from a message or a redirect`, {
    code: "egress-denied",
    cause,
  });
}

/** For a redirect to an address that is not an HTTP URL. */
export function redirectError(from: URL, to: string): FlowError {
  return new FlowError("java.lang.SecurityException", `egress denied: ${from.host} redirects to ${to}; only http: and https: are allowed`, {
    code: "egress-denied",
  });
}
