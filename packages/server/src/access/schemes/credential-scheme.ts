// What every way of proving oneself looks like to the policy that uses it.
import type { Awaitable } from "@sluice/engine/spi";
import type { AccessRequest } from "../../http/access.ts";
import type { Principal } from "../policy-document.ts";
import type { TokenBuckets } from "../token-buckets.ts";

/**
 * `wrong`: the credential is no good. `unavailable`: it cannot be checked now, so nobody gets in. `slowed`: this source has tried too often.
 */
export type Verdict = Principal | "wrong" | "unavailable" | "slowed";

/** The bytes of the body are part of the proof. */
export interface BodyProof {
  readonly proof: (body: Uint8Array) => Principal | "wrong";
}

export interface CredentialScheme {
  /** Whether trying out secrets could get somewhere: such schemes check nothing for a source that has tried too often. */
  readonly guessable: boolean;
  /** For `WWW-Authenticate`. */
  readonly challenge: string;
  readonly headers: readonly string[];
  readonly queryNames: readonly string[];
  /** The credential as it stands in the request; undefined when there is none for this scheme. */
  read(request: AccessRequest): string | undefined;
  verify(credential: string, request: AccessRequest, source: string): Awaitable<Verdict | BodyProof>;
}

/** What schemes need from outside. */
export interface SchemeParts {
  /** The value of an environment variable that a policy may name. */
  variable(name: string): string | undefined;
  /** Wrong credentials by source, within one flow. */
  readonly guesses: TokenBuckets;
  /** The time of day in milliseconds. */
  now(): number;
  /** Milliseconds that only go forward. */
  monotonic(): number;
  fetchText(uri: string): Promise<string>;
}

/** A principal that requests share and no route can change. */
export function principalOf(scheme: Principal["scheme"], id: string, roles: readonly string[] = [], claims: Principal["claims"] = {}): Principal {
  return deepFreeze({ id, scheme, roles: [...roles], claims });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
