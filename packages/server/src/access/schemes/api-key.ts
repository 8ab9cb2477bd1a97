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
  const { in: place = "header", name = defaultKeyName } = scheme;
  const header = name.toLowerCase();
  const keys = new Map<number, readonly KnownKey[]>();
  for (const { id, key, roles, expiresAt } of scheme.keys) {
    const digest = "env" in key ? digestOf(parts.variable(key.env)) : key.sha256;
    if (digest === undefined) continue;
    const known = {
      digest: Buffer.from(digest, "hex"),
      principal: principalOf("apiKey", id, roles),
      expiresAt: expiresAt === undefined ? Infinity : Date.parse(expiresAt),
    };
    const first = known.digest.readUInt32BE();
    // For duplicate keys the last one counts.
    keys.set(first, [known, ...(keys.get(first) ?? [])]);
  }
  return {
    guessable: true,
    challenge: `ApiKey in="${place}", name="${name.replaceAll(/[^\x20-\x7e]|["\\]/g, "?")}"`,
    headers: place === "header" ? [header] : [],
    queryNames: place === "query" ? [name] : [],
    read: place === "header" ? (request) => headerOf(request, header) : (request) => queryValueOf(request.query, name),
    verify(credential) {
      // Node returns header bytes as Latin-1 characters; the digest is computed over the bytes.
      const presented = hash("sha256", place === "header" ? Buffer.from(credential, "latin1") : credential, "buffer");
      // The lookup uses part of the digest, which reveals nothing about the key. The final comparison takes constant time.
      for (const known of keys.get(presented.readUInt32BE()) ?? noKeys)
        if (timingSafeEqual(presented, known.digest) && (known.expiresAt === Infinity || parts.now() < known.expiresAt)) return known.principal;
      return "wrong";
    },
  };
}

const noKeys: readonly KnownKey[] = [{ digest: Buffer.alloc(32), principal: principalOf("apiKey", ""), expiresAt: 0 }];

const digestOf = (value: string | undefined): string | undefined => (value === undefined || value === "" ? undefined : hash("sha256", value, "hex"));
