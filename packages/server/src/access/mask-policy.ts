// Masks the secrets of a policy for the API. Fingerprints distinguish them; references to environment variables are not masked.
import { masked } from "../masking/secret-headers.ts";
import { fingerprintOf } from "./password-hash.ts";
import type { ApiKey, BasicUser, Policy, Scheme, SigningSecret } from "./policy-document.ts";

type Json = Readonly<Record<string, unknown>>;

export function maskPolicy({ authenticate, ...rest }: Policy): Json {
  return authenticate === undefined ? rest : { authenticate: authenticate.map(maskScheme), ...rest };
}

function maskScheme(scheme: Scheme): Json {
  switch (scheme.type) {
    case "apiKey":
      return { ...scheme, keys: scheme.keys.map(maskKey) };
    case "basic":
      return { ...scheme, users: scheme.users.map(maskUser) };
    case "hmac":
      return { ...scheme, secrets: scheme.secrets.map(maskSigningSecret) };
    case "jwt":
      return { ...scheme };
  }
}

function maskKey({ id, key, ...rest }: ApiKey): Json {
  return "env" in key ? { id, key, ...rest } : { id, key: masked, fingerprint: key.sha256.slice(0, 8), ...rest };
}

function maskUser({ username, password, ...rest }: BasicUser): Json {
  return "env" in password ? { username, password, ...rest } : { username, password: masked, fingerprint: fingerprintOf(password.scrypt.hash), ...rest };
}

function maskSigningSecret(secret: SigningSecret): Json {
  return "env" in secret ? { ...secret } : { value: masked, fingerprint: fingerprintOf(secret.value) };
}
