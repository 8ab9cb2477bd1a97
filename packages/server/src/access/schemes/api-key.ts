import { hash, timingSafeEqual } from "node:crypto";
import { queryValueOf } from "../../http/query-values.ts";
import { headerOf } from "../credential-places.ts";
import type { ApiKeyScheme, Principal } from "../policy-document.ts";
import { principalOf, type CredentialScheme, type SchemeParts } from "./credential-scheme.ts";
import { digestText, type Digest } from "./sha-256.ts";

interface KnownKey {
  readonly digest: Digest;
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
      digest: readDigest(digest, new Int32Array(8)),
      principal: principalOf("apiKey", id, roles),
      expiresAt: expiresAt === undefined ? Infinity : Date.parse(expiresAt),
    };
    const first = known.digest[0] as number;
    // Of two with one key the later one counts.
    keys.set(first, [known, ...(keys.get(first) ?? [])]);
  }
  return {
    guessable: true,
    challenge: `ApiKey in="${place}", name="${name.replaceAll(/[^\x20-\x7e]|["\\]/g, "?")}"`,
    headers: place === "header" ? [header] : [],
    queryNames: place === "query" ? [name] : [],
    read: place === "header" ? (request) => headerOf(request, header) : (request) => queryValueOf(request.query, name),
    verify(credential) {
      // Node hands header bytes over as Latin-1 characters; what counts is the bytes.
      if (!digestText(credential, place === "header" ? 0xff : 0x7f, presented))
        readDigest(hash("sha256", place === "header" ? Buffer.from(credential, "latin1") : credential, "hex"), presented);
      // Looking up a part of the digest tells nothing about the key, and the comparison that decides takes the same time for all.
      for (const known of keys.get(presented[0] as number) ?? nobody)
        if (timingSafeEqual(presented, known.digest) && (known.expiresAt === Infinity || parts.now() < known.expiresAt)) return known.principal;
      return "wrong";
    },
  };
}

const nobody: readonly KnownKey[] = [{ digest: new Int32Array(8), principal: principalOf("apiKey", ""), expiresAt: 0 }];
/** The digest being compared: written over by every check. */
const presented: Digest = new Int32Array(8);

function readDigest(hex: string, into: Digest): Digest {
  for (let index = 0; index < 8; index++) into[index] = Number.parseInt(hex.slice(index * 8, index * 8 + 8), 16);
  return into;
}

const digestOf = (value: string | undefined): string | undefined => (value === undefined || value === "" ? undefined : hash("sha256", value, "hex"));
