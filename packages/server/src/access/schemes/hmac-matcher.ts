// Compares signatures with HMACs (RFC 2104) of a key that is reused for many messages.
import { createHmac, createSecretKey, timingSafeEqual, type BinaryToTextEncoding } from "node:crypto";

/** Returns the signature that equals the HMAC of `before`, body and `after`; undefined when none does. */
export type HmacMatcher = (before: string, body: Uint8Array, after: string, signatures: readonly string[]) => string | undefined;

export function hmacMatcher(algorithm: string, secret: Buffer, encoding: BinaryToTextEncoding): HmacMatcher {
  const key = createSecretKey(secret);
  return (before, body, after, signatures) => {
    const expected = Buffer.from(createHmac(algorithm, key).update(before).update(body).update(after).digest(encoding));
    let match: string | undefined;
    // Compare all signatures, so that timing does not reveal which one matches.
    for (const signature of signatures) {
      const candidate = Buffer.from(encoding === "hex" ? signature.toLowerCase() : signature);
      if (candidate.length === expected.length && timingSafeEqual(candidate, expected)) match = signature;
    }
    return match;
  };
}
