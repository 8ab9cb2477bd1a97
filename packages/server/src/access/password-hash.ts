// Passwords under scrypt, computed off the event loop, few at a time: each takes tens of megabytes and milliseconds.
import { hash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { ScryptHash } from "./policy-document.ts";

const cost = 2 ** 15;
const blockSize = 8;
const hashBytes = 32;

/** The thread pool has four threads, and the disk needs some of them. */
const atOnce = 2;
const longestQueue = 256;

let running = 0;
const queue: (() => void)[] = [];

/** More password checks are waiting than anybody would wait for. */
export class TooManyPasswords extends Error {}

/** Who waits: a caller, who is told to come again rather than kept in a long line, or somebody who changes a policy. */
type Waiting = "caller" | "owner";

async function derive(password: string, salt: Buffer, n: number, waiting: Waiting): Promise<Buffer> {
  if (running >= atOnce) {
    if (waiting === "caller" && queue.length >= longestQueue) throw new TooManyPasswords();
    await new Promise<void>((resolve) => queue.push(resolve));
  } else running++;
  try {
    return await new Promise((resolve, reject) =>
      scrypt(password, salt, hashBytes, { N: n, r: blockSize, p: 1, maxmem: 256 * n * blockSize }, (error, key) =>
        error === null ? resolve(key) : reject(error),
      ),
    );
  } finally {
    const next = queue.shift();
    if (next === undefined) running--;
    else next();
  }
}

export async function hashPassword(password: string): Promise<ScryptHash> {
  const salt = randomBytes(16);
  return { cost, salt: salt.toString("base64"), hash: (await derive(password, salt, cost, "owner")).toString("base64") };
}

export async function isPassword(password: string, expected: ScryptHash, waiting: Waiting = "caller"): Promise<boolean> {
  const derived = await derive(password, Buffer.from(expected.salt, "base64"), expected.cost, waiting);
  const kept = Buffer.from(expected.hash, "base64");
  return kept.length === derived.length && timingSafeEqual(kept, derived);
}

/** The hash nobody's password has; checked for unknown users, so that they take as long as known ones. */
export const nobodysPassword: ScryptHash = { cost, salt: randomBytes(16).toString("base64"), hash: randomBytes(hashBytes).toString("base64") };

/** Eight hex digits that tell secrets apart and give nothing of a password away: they come from its salted hash. */
export const fingerprintOf = (text: string): string => hash("sha256", text, "hex").slice(0, 8);
