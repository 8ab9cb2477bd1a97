import { hash, timingSafeEqual } from "node:crypto";
import { queryValueOf } from "../../http/query-values.ts";
import { headerOf } from "../credential-locations.ts";
import type { ApiKeyScheme, Principal } from "../policy-document.ts";
import { principalOf, type CredentialScheme, type SchemeParts } from "./credential-scheme.ts";

interface KnownKey {
  readonly digest: Buffer;
  readonly principal: Principal;
  readonly expiresAt: number;
}

export const defaultKeyName = "X-API-Key";

export function apiKeyScheme(scheme: ApiKeyScheme, parts: SchemeParts): CredentialScheme {
  const { in: location = "header", name = defaultKeyName } = scheme;
  const header = name.toLowerCase();
  const keys = new Map<number, readonly KnownKey[]>();
  for (const { id, key, roles, expiresAt } of scheme.keys) {
    const digest = "env" in key ? digestOf(parts.variable(key.env)) : key.sha256;
    if (digest === undefined) continue;
    const entry = {
      digest: Buffer.from(digest, "hex"),
      principal: principalOf("apiKey", id, roles),
      expiresAt: expiresAt === undefined ? Infinity : Date.parse(expiresAt),
    };
    const prefix = entry.digest.readUInt32BE();
    // If two entries have the same key, the last one is used.
    keys.set(prefix, [entry, ...(keys.get(prefix) ?? [])]);
  }
  return {
    guessable: true,
    challenge: `ApiKey in="${location}", name="${name.replaceAll(/[^\x20-\x7e]|["\\]/g, "?")}"`,
    headers: location === "header" ? [header] : [],
    queryNames: location === "query" ? [name] : [],
    read: location === "header" ? (request) => headerOf(request, header) : (request) => queryValueOf(request.query, name),
    verify(credential) {
      // Node returns header bytes as Latin-1 characters; the digest is computed over the bytes.
      const presented = hash("sha256", location === "header" ? Buffer.from(credential, "latin1") : credential, "buffer");
      // The lookup uses part of the digest, which reveals nothing about the key. The final comparison takes constant time.
      for (const { digest, principal, expiresAt } of keys.get(presented.readUInt32BE()) ?? dummyKeys)
        if (timingSafeEqual(presented, digest) && (expiresAt === Infinity || parts.now() < expiresAt)) return principal;
      return "wrong";
    },
  };
}

/** Compared when no key has the same prefix, so that both cases take the same time. */
const dummyKeys: readonly KnownKey[] = [{ digest: Buffer.alloc(32), principal: principalOf("apiKey", ""), expiresAt: 0 }];

const digestOf = (value: string | undefined): string | undefined => (value === undefined || value === "" ? undefined : hash("sha256", value, "hex"));
