import fc from "fast-check";
import { expect, it } from "vitest";
import { OldestKey } from "./oldest-key.ts";

it("returns the oldest key after any additions, removals and renewals", () => {
  const action = fc.record({ kind: fc.constantFrom("add", "remove", "renew", "evict"), key: fc.integer({ min: 0, max: 12 }) });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
      const keys = new Set<number>();
      const oldest = new OldestKey(keys);
      for (const { kind, key } of actions) {
        if (kind === "add") keys.add(key);
        else if (kind === "remove") keys.delete(key);
        else if (kind === "renew" && keys.delete(key)) keys.add(key);
        else if (kind === "evict") {
          const expected = keys.keys().next().value;
          const found = oldest.next();
          expect(found).toBe(expected);
          if (found !== undefined) keys.delete(found);
        }
      }
    }),
  );
});

it("keeps one iterator when a map is always full: a new one would have to skip all deleted entries", () => {
  const keys = new Map<number, number>();
  let iterators = 0;
  const oldest = new OldestKey({
    keys() {
      iterators++;
      return keys.keys();
    },
  });
  for (let key = 0; key < 5_000; key++) {
    keys.set(key, key);
    if (keys.size > 1_000) keys.delete(oldest.next() as number);
  }
  expect([keys.size, iterators]).toEqual([1_000, 1]);
});
