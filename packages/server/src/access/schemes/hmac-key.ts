// HMAC (RFC 2104) with a key that is reused for many messages.
import { createHmac, createSecretKey, timingSafeEqual, type BinaryToTextEncoding } from "node:crypto";

/** Returns the signature that is the HMAC of `before`, body and `after`, if any. */
export type HmacKey = (before: string, body: Uint8Array, after: string, signatures: readonly string[]) => string | undefined;

export function hmacKey(algorithm: string, secret: Buffer, encoding: BinaryToTextEncoding): HmacKey {
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
