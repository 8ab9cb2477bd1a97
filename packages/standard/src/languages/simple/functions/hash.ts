import type { Host } from "@sluice/engine/spi";
import { checkWork } from "@sluice/engine/values";
import { md5, ripemd160, sha1 } from "@noble/hashes/legacy.js";
import { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from "@noble/hashes/sha2.js";
import { sha3_224, sha3_256, sha3_384, sha3_512 } from "@noble/hashes/sha3.js";

const algorithms: Readonly<Record<string, (data: Uint8Array) => Uint8Array>> = {
  MD5: md5,
  "SHA-1": sha1,
  SHA1: sha1,
  SHA: sha1,
  RIPEMD160: ripemd160,
  "SHA-224": sha224,
  "SHA-256": sha256,
  "SHA-384": sha384,
  "SHA-512": sha512,
  "SHA-512/224": sha512_224,
  "SHA-512/256": sha512_256,
  "SHA3-224": sha3_224,
  "SHA3-256": sha3_256,
  "SHA3-384": sha3_384,
  "SHA3-512": sha3_512,
};

/** The names of the digests, as in Java. */
export const hashNames: readonly string[] = Object.keys(algorithms);

export const isHashName = (algorithm: string): boolean => Object.hasOwn(algorithms, algorithm.toUpperCase());

/** The digest of bytes in lower-case hexadecimal; undefined when the algorithm is unknown. */
export function hash(algorithm: string, data: Uint8Array, { digest }: Pick<Host, "digest">): string | undefined {
  if (!isHashName(algorithm)) return undefined;
  const name = algorithm.toUpperCase();
  let text = "";
  for (const byte of digest?.(name, data) ?? inJavaScript(name, data)) text += byte.toString(16).padStart(2, "0");
  return text;
}

/** An expression cannot be interrupted, so the input of slow algorithms is limited. */
function inJavaScript(name: string, data: Uint8Array): Uint8Array {
  const limit = name.startsWith("SHA3") ? 300_000 : /^SHA-?(384|512)/.test(name) ? 1_000_000 : undefined;
  if (limit !== undefined) checkWork(`hash with ${name}`, data.length, limit);
  return (algorithms[name] as (data: Uint8Array) => Uint8Array)(data);
}
