// Username and password. Password hashes are slow by design, so valid pairs are cached by their keyed hash, and concurrent requests with
// the same pair share one check.
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { authorizationOf } from "../credential-locations.ts";
import { isPassword, dummyHash, PasswordQueueFull } from "../password-hash.ts";
import type { BasicScheme, PasswordSecret, Principal } from "../policy-document.ts";
import { principalOf, type CredentialScheme, type SchemeParts, type CredentialResult } from "./credential-scheme.ts";

interface KnownUser {
  readonly password: PasswordSecret;
  readonly principal: Principal;
}

const maxCached = 1_000;
const cacheMs = 300_000;

export function basicScheme(scheme: BasicScheme, realm: string, parts: SchemeParts): CredentialScheme {
  const users = new Map(
    scheme.users.map(({ username, password, roles }): [string, KnownUser] => [username, { password, principal: principalOf("basic", username, roles) }]),
  );
  const secret = randomBytes(32);
  const cache = new Map<string, { readonly principal: Principal; readonly until: number }>();
  const pendingChecks = new Map<string, Promise<CredentialResult>>();

  async function check(credential: string, key: string): Promise<CredentialResult> {
    const pair = Buffer.from(credential, "base64").toString("utf8");
    const colon = pair.indexOf(":");
    const user = colon < 0 ? undefined : users.get(pair.slice(0, colon));
    try {
      if (!(await matches(pair.slice(colon + 1), user?.password, parts)) || user === undefined) return "wrong";
    } catch (error) {
      if (error instanceof PasswordQueueFull) return "unavailable";
      throw error;
    }
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string);
    cache.set(key, { principal: user.principal, until: parts.monotonic() + cacheMs });
    return user.principal;
  }

  function startCheck(credential: string, key: string, source: string): Promise<CredentialResult> | "throttled" {
    // Count the attempt before the check ends: otherwise concurrent attempts would exceed the limit.
    if (parts.failedAttempts.take(source) > 0) return "throttled";
    const result = check(credential, key).finally(() => {
      pendingChecks.delete(key);
      parts.failedAttempts.refund(source);
    });
    pendingChecks.set(key, result);
    return result;
  }

  return {
    guessable: true,
    challenge: `Basic realm="${realm}", charset="UTF-8"`,
    headers: ["authorization"],
    queryNames: [],
    read: (request) => authorizationOf(request, "basic"),
    verify(credential, _request, source) {
      const key = createHmac("sha256", secret).update(credential).digest("base64");
      const cached = cache.get(key);
      if (cached !== undefined && parts.monotonic() < cached.until) return cached.principal;
      return pendingChecks.get(key) ?? startCheck(credential, key, source);
    },
  };
}

/** Every check computes exactly one password hash, so that timing does not reveal which users exist. */
async function matches(password: string, expected: PasswordSecret | undefined, parts: SchemeParts): Promise<boolean> {
  if (expected !== undefined && "scrypt" in expected) return isPassword(password, expected.scrypt);
  await isPassword(password, dummyHash);
  const value = expected === undefined ? undefined : parts.variable(expected.env);
  const isEqual = timingSafeEqual(hash("sha256", password, "buffer"), hash("sha256", value ?? "", "buffer"));
  return isEqual && value !== undefined && value !== "";
}
