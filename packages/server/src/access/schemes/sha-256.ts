// SHA-256 (FIPS 180-4) of what fits into one block. Between two requests the way into the platform's library is cold and costs
// several times the hashing of a key; this stays in compiled code and leaves no garbage. Whatever is longer is hashed there.

/** A digest as eight words, most significant first. */
export type Digest = Int32Array;

const longestText = 55;
const initial = Int32Array.of(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
const constants = Int32Array.from(firstPrimes(64), fractionOfCubeRoot);
/** The block and its expansion: written over by every hash. */
const words = new Int32Array(64);

/** The digest of a text whose characters are bytes; false when it is too long for a block or has a character above `highest`. */
export function digestText(text: string, highest: 0x7f | 0xff, into: Digest): boolean {
  const { length } = text;
  if (length > longestText) return false;
  words.fill(0, 0, 16);
  let all = 0;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    all |= code;
    words[index >> 2]! |= code << (24 - (index & 3) * 8);
  }
  words[length >> 2]! |= 0x80 << (24 - (length & 3) * 8);
  words[15] = length * 8;
  if (all > highest) return false;
  compress(initial, into);
  return true;
}

/** The state after a first block of 64 bytes, to go on from with `digestAfter`. */
export function stateAfter(block: Uint8Array): Digest {
  const state = new Int32Array(8);
  words.fill(0, 0, 16);
  for (let index = 0; index < 64; index++) words[index >> 2]! |= (block[index] as number) << (24 - (index & 3) * 8);
  compress(initial, state);
  return state;
}

/** The digest of a first block, of which the state is known, and 32 bytes more, given as characters. */
export function digestAfter(state: Digest, text: string, into: Digest): void {
  for (let index = 0; index < 8; index++) {
    const at = index * 4;
    words[index] = (text.charCodeAt(at) << 24) | (text.charCodeAt(at + 1) << 16) | (text.charCodeAt(at + 2) << 8) | text.charCodeAt(at + 3);
  }
  words[8] = 0x80 << 24;
  for (let index = 9; index < 15; index++) words[index] = 0;
  words[15] = (64 + 32) * 8;
  compress(state, into);
}

function compress(state: Digest, into: Digest): void {
  for (let index = 16; index < 64; index++) {
    const x = words[index - 15]!;
    const y = words[index - 2]!;
    const small0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const small1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[index] = (words[index - 16]! + small0 + words[index - 7]! + small1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let index = 0; index < 64; index++) {
    const large1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const large0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const one = (h + large1 + (g ^ (e & (f ^ g))) + constants[index]! + words[index]!) | 0;
    const two = (large0 + ((a & b) | (c & (a | b)))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  into[0] = state[0]! + a;
  into[1] = state[1]! + b;
  into[2] = state[2]! + c;
  into[3] = state[3]! + d;
  into[4] = state[4]! + e;
  into[5] = state[5]! + f;
  into[6] = state[6]! + g;
  into[7] = state[7]! + h;
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes;
}

/** The first 32 bits behind the point of a cube root, by halving: floating point is not exact enough to trust. */
function fractionOfCubeRoot(prime: number): number {
  const cube = BigInt(prime) << 96n;
  let low = 0n;
  let high = 1n << 36n;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** 3n <= cube) low = middle;
    else high = middle - 1n;
  }
  return Number(BigInt.asIntN(32, low));
}
