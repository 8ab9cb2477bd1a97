import type { AccessRequest } from "../http/access.ts";
import type { SchemeParts } from "./schemes/credential-scheme.ts";
import { TokenBuckets } from "./token-buckets.ts";

/** Creates an access request; headers as an object, or as alternating names and values. */
export function accessRequest(headers: Readonly<Record<string, string>> | readonly string[] = {}, more: Partial<AccessRequest> = {}): AccessRequest {
  const rawHeaders = Array.isArray(headers) ? (headers as readonly string[]) : Object.entries(headers as Record<string, string>).flat();
  return { flowId: "orders", routeId: "order-intake", method: "POST", path: "/api/order-intake", query: "", rawHeaders, remoteAddress: "127.0.0.1", ...more };
}

export interface TestParts extends SchemeParts {
  time: number;
  readonly variables: Record<string, string>;
  fetches: number;
  keys: () => Promise<string>;
}

/** Dependencies with a clock and network controlled by the test. */
export function testParts(maxWrongCredentials = 50): TestParts {
  const parts: TestParts = {
    time: 1_700_000_000_000,
    variables: {},
    fetches: 0,
    keys: () => Promise.reject(new Error("no key set")),
    failedAttempts: new TokenBuckets({ capacity: maxWrongCredentials, refillMs: 6_000, maxKeys: 100, monotonic: () => parts.time }),
    variable: (name) => parts.variables[name],
    now: () => parts.time,
    monotonic: () => parts.time,
    fetchText() {
      parts.fetches++;
      return parts.keys();
    },
  };
  return parts;
}
