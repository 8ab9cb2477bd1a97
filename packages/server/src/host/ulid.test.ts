import { describe, expect, it } from "vitest";
import { createIds, unguessableId } from "./ulid.ts";

describe("ids", () => {
  it("increase strictly, within a millisecond and when the clock is set back", () => {
    const times = [5_000, 5_000, 5_000, 4_000, 5_001, 1_700_000_000_000, 1_700_000_000_000];
    const ids = createIds(() => times.shift() as number);
    const created = Array.from({ length: 7 }, () => ids.next());
    expect(created).toEqual(created.toSorted());
    expect(new Set(created).size).toBe(7);
    for (const id of created) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it("contain the time in their first ten characters", () => {
    const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    const id = createIds(() => 1_800_000_000_123).next();
    expect(Array.from(id.slice(0, 10)).reduce((value, letter) => value * 32 + alphabet.indexOf(letter), 0)).toBe(1_800_000_000_123);
  });

  it("a hundred thousand ids of one millisecond are distinct and sorted", () => {
    const ids = createIds(() => 1_800_000_000_000);
    let last = "";
    let unsorted = 0;
    for (let count = 0; count < 100_000; count++) {
      const id = ids.next();
      if (id <= last) unsorted++;
      last = id;
    }
    expect(unsorted).toBe(0);
  });

  it("unguessable ids have 130 random bits", () => {
    const created = new Set(Array.from({ length: 1_000 }, unguessableId));
    expect(created.size).toBe(1_000);
    for (const id of created) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });
});
