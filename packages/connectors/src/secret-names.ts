// Names that indicate a credential: their values are never shown.

const secretName = /authorization|cookie|passw(?:or)?d|passphrase|secret|token|credential|api[-_.]?key|private[-_.]?key|session[-_.]?id|signature|hmac/i;

export const maskedText = "xxxxxx";

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}
