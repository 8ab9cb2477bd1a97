// HMAC (RFC 2104) of one message with a key used over and over. For the small bodies webhooks have, one-shot hashes over a
// buffer that holds the padded key already cost half of the streaming interface, which serves the large ones.
import { createHmac, createSecretKey, hash, timingSafeEqual, type BinaryToTextEncoding } from "node:crypto";
import { digestAfter, stateAfter, type Digest } from "./sha-256.ts";

/** Which of these signatures, if any, is the HMAC of `before`, the body and `after`, in this order. Looks at all of all of them. */
export type HmacKey = (before: string, body: Uint8Array, after: string, signatures: readonly string[]) => string | undefined;

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
  const compare = algorithm === "sha256" && encoding === "hex" ? compareHex(outerPad) : compareText(algorithm, outerPad, encoding);
  const streaming = createSecretKey(secret);
  return (before, body, after, signatures) => {
    if (body.length + (before.length + after.length) * 3 > smallBytes) {
      const text = Buffer.from(createHmac(algorithm, streaming).update(before).update(body).update(after).digest(encoding), "latin1");
      return sameAs(text, signatures, encoding);
    }
    if (innerOwner !== innerPad) inner.set((innerOwner = innerPad), 0);
    let length = block;
    if (before !== "") length += inner.write(before, length);
    inner.set(body, length);
    length += body.length;
    if (after !== "") length += inner.write(after, length);
    if (innerPart.length !== length) innerPart = inner.subarray(0, length);
    // Text comes out of the one-shot hash much faster than a buffer does.
    return compare(hash(algorithm, innerPart, "binary"), signatures);
  };
}

/** The outer half: from the inner digest, as characters, to the signature that is the same. */
type Compare = (innerDigest: string, signatures: readonly string[]) => string | undefined;

function compareText(algorithm: string, outerPad: Uint8Array, encoding: BinaryToTextEncoding): Compare {
  const outer = Buffer.concat([outerPad, hash(algorithm, "", "buffer")]);
  const text = Buffer.from(hash(algorithm, "", encoding), "latin1");
  return (innerDigest, signatures) => {
    outer.write(innerDigest, outerPad.length, "latin1");
    text.write(hash(algorithm, outer, encoding), "latin1");
    return sameAs(text, signatures, encoding);
  };
}

/** By the length of the signature's text: what is compared is written here, so that no check leaves garbage behind. */
const compared = new Map<number, Uint8Array>();

function sameAs(text: Uint8Array, signatures: readonly string[], encoding: BinaryToTextEncoding): string | undefined {
  let match: string | undefined;
  for (const signature of signatures) if (isSameText(encoding === "hex" ? signature.toLowerCase() : signature, text)) match = signature;
  return match;
}

function isSameText(one: string, other: Uint8Array): boolean {
  const { length } = other;
  if (one.length !== length) return false;
  let given = compared.get(length);
  if (given === undefined) compared.set(length, (given = new Uint8Array(length)));
  let all = 0;
  for (let index = 0; index < length; index++) {
    const code = one.charCodeAt(index);
    all |= code;
    given[index] = code;
  }
  // A character beyond a byte would be cut to another one.
  return timingSafeEqual(given, other) && all < 0x80;
}

/** What most senders use. The outer half is one block more after the key's, too little to ask the platform for. */
function compareHex(outerPad: Uint8Array): Compare {
  const state = stateAfter(outerPad);
  const digest: Digest = new Int32Array(8);
  return (innerDigest, signatures) => {
    digestAfter(state, innerDigest, digest);
    let match: string | undefined;
    for (const signature of signatures) if (isHexOf(signature, digest)) match = signature;
    return match;
  };
}

/** Goes through all of the text, in capitals or not, whatever it finds, so that the time it takes does not tell how much was right. */
function isHexOf(text: string, digest: Digest): boolean {
  if (text.length !== 64) return false;
  let difference = 0;
  for (let index = 0; index < 64; index++) {
    const expected = (digest[index >> 3]! >>> (28 - (index & 7) * 4)) & 15;
    const code = text.charCodeAt(index);
    difference |= (code >= 65 && code <= 70 ? code + 32 : code) ^ (expected + (expected < 10 ? 48 : 87));
  }
  return difference === 0;
}
