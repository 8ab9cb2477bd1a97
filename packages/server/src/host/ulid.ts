// Sortable ids (ULID): 48 bits of time, 40 random bits drawn per millisecond, then a 40-bit counter that starts at a random
// place. Made a few times per message, so the parts that stay the same within a millisecond are kept as text.
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

/** Random bytes drawn ahead: asking the system for five at a time costs more than everything else here. */
const pool = Buffer.alloc(5 * 400);
let drawn = pool.length;

function random40(): number {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  drawn += 5;
  return pool.readUIntBE(drawn - 5, 5);
}

/** Ids that grow strictly, also within a millisecond and when the clock steps back. */
export function createIds(now: () => number): Ids {
  let time = 0;
  let prefix = "";
  let counter = 0;
  return {
    next(current = now()) {
      if (current > time || counter >= 2 ** 40 - 1) {
        time = Math.max(current, time + (current > time ? 0 : 1));
        prefix = encodeTime(time) + encode40(random40());
        // The top bit stays free so that a millisecond never runs out of numbers.
        counter = random40() % 2 ** 39;
      }
      return prefix + encode40(counter++);
    },
  };
}

/** An id nobody can guess: 130 random bits in the same alphabet. */
export function unguessableId(): string {
  let id = "";
  for (const byte of randomBytes(26)) id += alphabet[byte & 31];
  return id;
}
