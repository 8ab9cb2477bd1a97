// Finds the stored secrets for `***` in a PUT: keys by id, passwords by user, signing secrets by fingerprint or position.
import { fingerprintOf } from "./password-hash.ts";
import type { KeySecret, PasswordSecret, Policy, SigningSecret } from "./policy-document.ts";

export interface StoredSecrets {
  key(id: string): KeySecret | undefined;
  password(username: string): PasswordSecret | undefined;
  /** By fingerprint, or without one by position in the scheme at `schemeIndex`. */
  signing(fingerprint: string | undefined, schemeIndex: number, index: number): SigningSecret | undefined;
}

export function storedSecrets(policy: Policy | undefined): StoredSecrets {
  const schemes = policy?.authenticate ?? [];
  const keys = new Map<string, KeySecret>();
  const passwords = new Map<string, PasswordSecret>();
  const signing: SigningSecret[] = [];
  for (const scheme of schemes) {
    if (scheme.type === "apiKey") for (const { id, key } of scheme.keys) keys.set(id, key);
    if (scheme.type === "basic") for (const { username, password } of scheme.users) passwords.set(username, password);
    if (scheme.type === "hmac") signing.push(...scheme.secrets);
  }
  return {
    key: (id) => literal(keys.get(id)),
    password: (username) => literal(passwords.get(username)),
    signing(fingerprint, schemeIndex, index) {
      if (fingerprint !== undefined) return signing.find((secret) => "value" in secret && fingerprintOf(secret.value) === fingerprint);
      const scheme = schemes[schemeIndex];
      return literal(scheme?.type === "hmac" ? scheme.secrets[index] : undefined);
    },
  };
}

/** Excludes references to environment variables, which are never masked as `***`. */
const literal = <T extends object>(secret: T | undefined): T | undefined => (secret === undefined || "env" in secret ? undefined : secret);
