/** Replaces a secret in all output. */
export const masked = "***";

const secretHeader = /^(proxy-)?authorization$|^(set-)?cookie2?$|key$|pass(word|wd)|token|secret|signature|hmac|^x-hub-/i;
const cache = new Map<string, boolean>();

/** True for headers with secret values: credentials, cookies, keys, tokens and signatures. */
export function isSecretHeader(name: string): boolean {
  let secret = cache.get(name);
  if (secret === undefined) {
    secret = secretHeader.test(name) && !/^(camel|idempotency-key$)/i.test(name);
    // Bounded, because names also come from callers.
    if (cache.size < 1_000) cache.set(name, secret);
  }
  return secret;
}

const credential = /^(proxy-)?authorization$|^(set-)?cookie2?$|api-?key|passw(or)?d|secret/i;

/** True for headers that always contain credentials; a test may see other headers that it set itself. */
export const isCredentialHeader = (name: string): boolean => credential.test(name);
