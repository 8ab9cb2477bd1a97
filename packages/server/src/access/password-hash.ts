// Hashes passwords with scrypt off the event loop, a few at a time: each hash takes tens of megabytes and tens of milliseconds.
import { hash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { ScryptHash } from "./policy-document.ts";

const cost = 2 ** 15;
const blockSize = 8;
const hashBytes = 32;

/** libuv's thread pool has four threads by default; file access needs the others. */
const maxConcurrent = 2;
const maxQueueLength = 256;

let running = 0;
const queue: (() => void)[] = [];

/** Thrown when the queue of password checks is full. */
export class PasswordQueueFull extends Error {}

/** Login attempts of a `caller` are rejected when the queue is full; policy changes by the `owner` wait. */
type Requester = "caller" | "owner";

async function derive(password: string, salt: Buffer, n: number, requester: Requester): Promise<Buffer> {
  if (running >= maxConcurrent) {
    if (requester === "caller" && queue.length >= maxQueueLength) throw new PasswordQueueFull();
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

export async function isPassword(password: string, expected: ScryptHash, requester: Requester = "caller"): Promise<boolean> {
  const derived = await derive(password, Buffer.from(expected.salt, "base64"), expected.cost, requester);
  const stored = Buffer.from(expected.hash, "base64");
  return stored.length === derived.length && timingSafeEqual(stored, derived);
}

/** Checked for unknown users, so that the response time does not reveal which users exist. */
export const dummyHash: ScryptHash = { cost, salt: randomBytes(16).toString("base64"), hash: randomBytes(hashBytes).toString("base64") };

/** Eight hex digits that distinguish secrets. For a password, `text` is its salted hash, so that they reveal nothing about the password. */
export const fingerprintOf = (text: string): string => hash("sha256", text, "hex").slice(0, 8);
