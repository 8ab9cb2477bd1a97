// Sortable ids (ULID): 48 bits of time, 40 random bits per millisecond, and a 40-bit counter with a random start. Ids are created
// several times per message, so parts that are constant within a millisecond are cached.
import { randomBytes, randomFillSync } from "node:crypto";
import type { Ids } from "@sluice/engine";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const pairs: readonly string[] = Array.from({ length: 1024 }, (_, index) => `${alphabet[index >> 5]}${alphabet[index & 31]}`);

const pair = (bits: number): string => pairs[bits & 1023] as string;

/** 40 bits as eight characters. */
function encode40(value: number): string {
  const high = Math.floor(value / 1_048_576);
  const low = value % 1_048_576;
  return pair(high >> 10) + pair(high) + pair(low >> 10) + pair(low);
}

/** 48 bits as ten characters. */
const encodeTime = (ms: number): string => pair(Math.floor(ms / 2 ** 40)) + encode40(ms % 2 ** 40);

/** Buffer of random bytes: generating five at a time costs more than all other work here. */
const pool = Buffer.alloc(5 * 400);
let poolOffset = pool.length;

function random40(): number {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  poolOffset += 5;
  return pool.readUIntBE(poolOffset - 5, 5);
}

/** Ids increase strictly, even within a millisecond and when the clock is set back. */
export function createIds(now: () => number): Ids {
  let time = 0;
  let prefix = "";
  let counter = 0;
  return {
    next(current = now()) {
      if (current > time || counter >= 2 ** 40 - 1) {
        time = Math.max(current, time + (current > time ? 0 : 1));
        prefix = encodeTime(time) + encode40(random40());
        // The top bit starts at 0, so that the counter cannot overflow within a millisecond.
        counter = random40() % 2 ** 39;
      }
      return prefix + encode40(counter++);
    },
  };
}

/** An unguessable id: 130 random bits in the same alphabet. */
export function unguessableId(): string {
  let id = "";
  for (const byte of randomBytes(26)) id += alphabet[byte & 31];
  return id;
}
