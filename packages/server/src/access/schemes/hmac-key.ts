// HMAC (RFC 2104) of one message with a key used over and over. For the small bodies webhooks have, one-shot hashes over a
// buffer that holds the padded key already cost half of the streaming interface, which serves the large ones.
import { createHmac, createSecretKey, hash, type BinaryToTextEncoding } from "node:crypto";
import { digestAfter, stateAfter, type Digest } from "./sha-256.ts";

/** The HMAC of `before`, the body and `after`, in this order: the characters of its text, good until the next call. */
export type HmacKey = (before: string, body: Uint8Array, after: string) => Uint8Array;

const smallBytes = 16_384;
const blockBytes: Readonly<Record<string, number>> = { sha1: 64, sha256: 64, sha384: 128, sha512: 128 };

// Shared by all keys: the work is synchronous, and what is left in it is overwritten or never leaves.
const inner = Buffer.alloc(128 + smallBytes);
/** Whose pad is in it, and the part of it that was hashed last: the same key and size come over and over. */
let innerOwner: Uint8Array | undefined;
let innerPart = inner.subarray(0, 0);

export function hmacKey(algorithm: string, secret: Buffer, encoding: BinaryToTextEncoding): HmacKey {
  const block = blockBytes[algorithm] as number;
  const padded = Buffer.alloc(block);
  (secret.length > block ? hash(algorithm, secret, "buffer") : secret).copy(padded);
  const innerPad = padded.map((byte) => byte ^ 0x36);
  const outerPad = padded.map((byte) => byte ^ 0x5c);
  const finish = algorithm === "sha256" && encoding === "hex" ? finishHex(outerPad) : finishAny(algorithm, outerPad, encoding);
  const streaming = createSecretKey(secret);
  return (before, body, after) => {
    if (body.length + (before.length + after.length) * 3 > smallBytes)
      return Buffer.from(createHmac(algorithm, streaming).update(before).update(body).update(after).digest(encoding), "latin1");
    if (innerOwner !== innerPad) inner.set((innerOwner = innerPad), 0);
    let length = block;
    if (before !== "") length += inner.write(before, length);
    inner.set(body, length);
    length += body.length;
    if (after !== "") length += inner.write(after, length);
    if (innerPart.length !== length) innerPart = inner.subarray(0, length);
    // Text comes out of the one-shot hash much faster than a buffer does.
    return finish(hash(algorithm, innerPart, "binary"));
  };
}

/** The outer half: from the inner digest, as characters, to the text of the HMAC. */
type Finish = (innerDigest: string) => Uint8Array;

function finishAny(algorithm: string, outerPad: Uint8Array, encoding: BinaryToTextEncoding): Finish {
  const outer = Buffer.concat([outerPad, hash(algorithm, "", "buffer")]);
  const text = Buffer.from(hash(algorithm, "", encoding), "latin1");
  return (innerDigest) => {
    outer.write(innerDigest, outerPad.length, "latin1");
    text.write(hash(algorithm, outer, encoding), "latin1");
    return text;
  };
}

/** What most senders use. The outer half is one block more after the key's, too little to ask the platform for. */
function finishHex(outerPad: Uint8Array): Finish {
  const state = stateAfter(outerPad);
  const digest: Digest = new Int32Array(8);
  const text = new Uint8Array(64);
  return (innerDigest) => {
    digestAfter(state, innerDigest, digest);
    for (let index = 0; index < 64; index++) {
      const nibble = (digest[index >> 3]! >>> (28 - (index & 7) * 4)) & 15;
      text[index] = nibble + (nibble < 10 ? 48 : 87);
    }
    return text;
  };
}
