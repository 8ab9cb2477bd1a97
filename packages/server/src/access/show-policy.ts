// A policy as the API returns it: secrets masked, with a fingerprint to distinguish them; environment references unchanged.
import { masked } from "../masking/secret-headers.ts";
import { fingerprintOf } from "./password-hash.ts";
import type { ApiKey, BasicUser, Policy, Scheme, SigningSecret } from "./policy-document.ts";

type Json = Readonly<Record<string, unknown>>;

export function shownPolicy({ authenticate, ...rest }: Policy): Json {
  return authenticate === undefined ? rest : { authenticate: authenticate.map(shownScheme), ...rest };
}

function shownScheme(scheme: Scheme): Json {
  switch (scheme.type) {
    case "apiKey":
      return { ...scheme, keys: scheme.keys.map(shownKey) };
    case "basic":
      return { ...scheme, users: scheme.users.map(shownUser) };
    case "hmac":
      return { ...scheme, secrets: scheme.secrets.map(shownSigning) };
    case "jwt":
      return { ...scheme };
  }
}

function shownKey({ id, key, ...rest }: ApiKey): Json {
  return "env" in key ? { id, key, ...rest } : { id, key: masked, fingerprint: key.sha256.slice(0, 8), ...rest };
}

function shownUser({ username, password, ...rest }: BasicUser): Json {
  return "env" in password ? { username, password, ...rest } : { username, password: masked, fingerprint: fingerprintOf(password.scrypt.hash), ...rest };
}

function shownSigning(secret: SigningSecret): Json {
  return "env" in secret ? { ...secret } : { value: masked, fingerprint: fingerprintOf(secret.value) };
}
