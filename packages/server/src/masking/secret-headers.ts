/** What stands in place of a secret everywhere. */
export const masked = "***";

const secretHeader = /^(proxy-)?authorization$|^(set-)?cookie2?$|key$|pass(word|wd)|token|secret|signature|hmac|^x-hub-/i;
const cache = new Map<string, boolean>();

/** True for a header whose value must not be shown: credentials, cookies, keys, tokens and signatures. */
export function isSecretHeader(name: string): boolean {
  let secret = cache.get(name);
  if (secret === undefined) {
    secret = secretHeader.test(name) && !/^(camel|idempotency-key$)/i.test(name);
    // Names come from callers too: the cache must not grow with them.
    if (cache.size < 1_000) cache.set(name, secret);
  }
  return secret;
}

const credential = /^(proxy-)?authorization$|^(set-)?cookie2?$|api-?key|passw(or)?d|secret/i;

/** True for the few headers that are credentials whoever set them; a test may look at the others it made itself. */
export const isCredentialHeader = (name: string): boolean => credential.test(name);
