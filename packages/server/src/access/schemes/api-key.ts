import { hash, timingSafeEqual } from "node:crypto";
import { queryValueOf } from "../../http/query-values.ts";
import { headerOf } from "../credential-places.ts";
import type { ApiKeyScheme, Principal } from "../policy-document.ts";
import { principalOf, type CredentialScheme, type SchemeParts } from "./credential-scheme.ts";

interface KnownKey {
  /** In hex. */
  readonly digest: Buffer;
  readonly principal: Principal;
  readonly expiresAt: number;
}

export const defaultKeyName = "X-API-Key";

export function apiKeyScheme(scheme: ApiKeyScheme, parts: SchemeParts): CredentialScheme {
  const { in: place = "header", name = defaultKeyName } = scheme;
  const header = name.toLowerCase();
  const keys = new Map<string, KnownKey>();
  for (const { id, key, roles, expiresAt } of scheme.keys) {
    const digest = "env" in key ? digestOf(parts.variable(key.env)) : key.sha256;
    if (digest === undefined) continue;
    keys.set(digest, {
      digest: Buffer.from(digest, "latin1"),
      principal: principalOf("apiKey", id, roles),
      expiresAt: expiresAt === undefined ? Infinity : Date.parse(expiresAt),
    });
  }
  return {
    guessable: true,
    challenge: `ApiKey in="${place}", name="${name.replaceAll(/[^\x20-\x7e]|["\\]/g, "?")}"`,
    headers: place === "header" ? [header] : [],
    queryNames: place === "query" ? [name] : [],
    read: place === "header" ? (request) => headerOf(request, header) : (request) => queryValueOf(request.query, name),
    verify(credential) {
      // Node hands header bytes over as Latin-1 characters; what counts is the bytes. Looking a digest up tells nothing
      // about the key, and the comparison that decides takes the same time for all.
      const digest = hash("sha256", place === "header" && beyondAscii.test(credential) ? Buffer.from(credential, "latin1") : credential, "hex");
      const known = keys.get(digest);
      presented.write(digest, 0, "latin1");
      const matches = timingSafeEqual(presented, known?.digest ?? nobodysDigest);
      return known !== undefined && matches && parts.now() < known.expiresAt ? known.principal : "wrong";
    },
  };
}

const beyondAscii = /[\u0080-\uffff]/;
const nobodysDigest = Buffer.alloc(64);
/** The digest being compared, in hex: written over by every check. */
const presented = Buffer.alloc(64);
const digestOf = (value: string | undefined): string | undefined => (value === undefined || value === "" ? undefined : hash("sha256", value, "hex"));
