// HMAC (RFC 2104) of one message with a key used over and over. For the small bodies webhooks have, two one-shot hashes
// over a buffer that holds the padded key already cost half of the streaming interface, which serves the large ones.
import { createHmac, createSecretKey, hash, type BinaryToTextEncoding } from "node:crypto";

/** The HMAC of `before`, the body and `after`, in this order, as text. */
export type HmacKey = (before: string, body: Uint8Array, after: string) => string;

const smallBytes = 16_384;
const blockBytes: Readonly<Record<string, number>> = { sha1: 64, sha256: 64, sha384: 128, sha512: 128 };

// Shared by all keys: the work is synchronous, and what is left in it is overwritten or never leaves.
const inner = Buffer.alloc(128 + smallBytes);

export function hmacKey(algorithm: string, secret: Buffer, encoding: BinaryToTextEncoding): HmacKey {
  const block = blockBytes[algorithm] as number;
  const padded = Buffer.alloc(block);
  (secret.length > block ? hash(algorithm, secret, "buffer") : secret).copy(padded);
  const innerPad = padded.map((byte) => byte ^ 0x36);
  const outer = Buffer.concat([padded.map((byte) => byte ^ 0x5c), hash(algorithm, "", "buffer")]);
  const streaming = createSecretKey(secret);
  return (before, body, after) => {
    if (body.length + (before.length + after.length) * 3 > smallBytes)
      return createHmac(algorithm, streaming).update(before).update(body).update(after).digest(encoding);
    inner.set(innerPad, 0);
    let length = block;
    if (before !== "") length += inner.write(before, length);
    inner.set(body, length);
    length += body.length;
    if (after !== "") length += inner.write(after, length);
    // Text comes out of the one-shot hash much faster than a buffer does.
    outer.write(hash(algorithm, inner.subarray(0, length), "binary"), block, "latin1");
    return hash(algorithm, outer, encoding);
  };
}
