// Bearer tokens (RFC 7519) signed by an issuer whose public keys are fetched. Valid tokens are cached by their hash for a few minutes, so
// that not every request has to verify a signature.
import { hash } from "node:crypto";
import { decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from "jose";
import { authorizationOf } from "../credential-locations.ts";
import type { JwtScheme, Principal } from "../policy-document.ts";
import { principalOf, type CredentialScheme, type SchemeParts, type CredentialResult } from "./credential-scheme.ts";
import { keySet, KeysUnavailable } from "./key-set.ts";

interface CachedToken {
  readonly principal: Principal;
  readonly keys: JWTVerifyGetKey;
  readonly expiresAt: number;
  readonly cachedUntil: number;
}

const maxCached = 10_000;
const cacheMs = 300_000;
const maxTokenLength = 16_384;

export function jwtScheme(scheme: JwtScheme, realm: string, parts: SchemeParts, isOnlyJwt: boolean): CredentialScheme {
  const { issuer, audience, algorithms = ["RS256", "ES256"], rolesClaim, clockSkewSec = 0, requireExp = true } = scheme;
  const keys = keySet(scheme.jwksUri, parts);
  const issuers = typeof issuer === "string" ? [issuer] : issuer;
  const options: JWTVerifyOptions = {
    algorithms: [...algorithms],
    clockTolerance: clockSkewSec,
    // Without an expiry a leaked token is valid forever.
    requiredClaims: requireExp ? ["exp"] : [],
    ...(issuers === undefined ? {} : { issuer: [...issuers] }),
    ...(audience === undefined ? {} : { audience: typeof audience === "string" ? audience : [...audience] }),
  };
  const cache = new Map<string, CachedToken>();
  const pendingChecks = new Map<string, Promise<CredentialResult>>();

  async function check(token: string, id: string): Promise<CredentialResult> {
    try {
      const { payload, keys: used } = await verifyToken(token);
      const principal = principalOf("jwt", subjectOf(payload), rolesOf(payload, rolesClaim), payload);
      const expiresAt = payload.exp === undefined ? Infinity : (payload.exp + clockSkewSec) * 1000;
      if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string);
      cache.set(id, { principal, keys: used, expiresAt, cachedUntil: parts.monotonic() + cacheMs });
      return principal;
    } catch (error) {
      if (error instanceof KeysUnavailable) return "unavailable";
      if (error instanceof errors.JOSEError || isKeyError(error)) return "wrong";
      throw error;
    }
  }

  async function verifyToken(token: string): Promise<{ payload: JWTPayload; keys: JWTVerifyGetKey }> {
    const current = await keys.current();
    const verifyOptions = { ...options, currentDate: new Date(parts.now()) };
    try {
      return { payload: await verifyWith(token, current, verifyOptions), keys: current };
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await keys.newerThan(current);
      if (newer === undefined) throw error;
      return { payload: await verifyWith(token, newer, verifyOptions), keys: newer };
    }
  }

  return {
    guessable: false,
    challenge: `Bearer realm="${realm}"`,
    headers: ["authorization"],
    queryNames: [],
    read(request) {
      const token = authorizationOf(request, "bearer");
      return token === undefined || isOnlyJwt || issuers === undefined || issuers.includes(issuerOf(token)) ? token : undefined;
    },
    verify(token) {
      if (token === "" || token.length > maxTokenLength) return "wrong";
      const id = hash("sha256", token, "base64");
      const cached = cache.get(id);
      if (cached !== undefined && parts.monotonic() < cached.cachedUntil && keys.isCurrent(cached.keys))
        return parts.now() < cached.expiresAt ? cached.principal : "wrong";
      let result = pendingChecks.get(id);
      if (result === undefined) {
        result = check(token, id).finally(() => pendingChecks.delete(id));
        pendingChecks.set(id, result);
      }
      return result;
    },
  };
}

/** A token without a key id is tried with every suitable key. */
async function verifyWith(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (inner) {
        if (!(inner instanceof errors.JWSSignatureVerificationFailed) && !isKeyError(inner)) throw inner;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Errors caused by a published key that is invalid or too weak. */
const isKeyError = (error: unknown): boolean => error instanceof TypeError || error instanceof DOMException || error instanceof errors.JWKInvalid;

function subjectOf({ sub, client_id: client, azp }: JWTPayload): string {
  return ([sub, client, azp].find((id) => typeof id === "string" && id !== "") as string | undefined) ?? "";
}

/** The unverified issuer, used only to choose a scheme, which then verifies the token. */
function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    return "";
  }
}

/** Reads roles from the claim with this name or path: a list of strings or a space-separated string. */
function rolesOf(payload: JWTPayload, claim: string | undefined): readonly string[] {
  if (claim === undefined) return [];
  const value = Object.hasOwn(payload, claim)
    ? payload[claim]
    : claim
        .split(".")
        .reduce<unknown>(
          (node, name) => (typeof node === "object" && node !== null && Object.hasOwn(node, name) ? (node as Record<string, unknown>)[name] : undefined),
          payload,
        );
  if (typeof value === "string") return value.split(" ").filter((word) => word !== "");
  return Array.isArray(value) ? value.filter((role) => typeof role === "string") : [];
}
