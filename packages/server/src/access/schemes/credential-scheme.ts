// The interface of all authentication schemes.
import type { Awaitable } from "@sluice/engine/spi";
import type { AccessRequest } from "../../http/access.ts";
import type { Principal } from "../policy-document.ts";
import type { TokenBuckets } from "../token-buckets.ts";

/**
 * `wrong`: invalid credential. `unavailable`: it cannot be checked now, so access is denied. `throttled`: too many attempts from this source.
 */
export type CredentialResult = Principal | "wrong" | "unavailable" | "throttled";

/** The body is needed to verify the credential. */
export interface BodyVerification {
  readonly verifyBody: (body: Uint8Array) => Awaitable<Principal | "wrong" | "unavailable">;
}

export interface CredentialScheme {
  /** True when secrets can be guessed by trial and error: attempts are then limited per source. */
  readonly guessable: boolean;
  /** For `WWW-Authenticate`. */
  readonly challenge: string;
  readonly headers: readonly string[];
  readonly queryNames: readonly string[];
  /** The credential in the request; undefined when there is none for this scheme. */
  read(request: AccessRequest): string | undefined;
  verify(credential: string, request: AccessRequest, source: string): Awaitable<CredentialResult | BodyVerification>;
}

/** Dependencies of the schemes. */
export interface SchemeParts {
  /** The value of an environment variable. */
  variable(name: string): string | undefined;
  /** Limits failed attempts by flow and source. */
  readonly failedAttempts: TokenBuckets;
  /** Wall-clock time in milliseconds. */
  now(): number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  fetchText(uri: string): Promise<string>;
}

/** An immutable principal that can be shared by requests. */
export function principalOf(scheme: Principal["scheme"], id: string, roles: readonly string[] = [], claims: Principal["claims"] = {}): Principal {
  return deepFreeze({ id, scheme, roles: [...roles], claims });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
