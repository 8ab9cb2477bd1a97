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

it("stays fast when a large map is always full", () => {
  const keys = new Map<number, number>();
  const oldest = new OldestKey(keys);
  const startTime = performance.now();
  for (let key = 0; key < 400_000; key++) {
    keys.set(key, key);
    if (keys.size > 50_000) keys.delete(oldest.next() as number);
  }
  expect(keys.size).toBe(50_000);
  expect(performance.now() - startTime).toBeLessThan(15_000);
});
