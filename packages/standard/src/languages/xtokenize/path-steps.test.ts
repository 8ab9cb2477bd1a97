import fc from "fast-check";
import { expect, it } from "vitest";
import { matchesPath, readPath } from "./path-steps.ts";

const elementsOf = (names: readonly string[]) => names.map((local) => ({ local, namespace: "" }));

it("matches like the equivalent regular expression", () => {
  const name = fc.constantFrom("a", "b", "*");
  const step = fc.tuple(fc.constantFrom("/", "//"), name);
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), fc.array(fc.constantFrom("a", "b"), { maxLength: 7 }), (steps, names) => {
      const pattern = steps.map(([slashes, local]) => `${slashes === "//" ? "(?:/[ab])*" : ""}/${local === "*" ? "[ab]" : local}`).join("");
      const path = readPath(steps.flat().join(""), {});
      expect(matchesPath(path, elementsOf(names))).toBe(new RegExp(`^${pattern}$`).test(names.map((local) => `/${local}`).join("")));
    }),
    { numRuns: 2_000 },
  );
});

it("is fast for a path with many // steps in a deep document", () => {
  const startTime = performance.now();
  const elements = elementsOf(Array.from({ length: 1_000 }, () => "a"));
  expect(matchesPath(readPath(`//b${"//a".repeat(10)}`, {}), elements)).toBe(false);
  expect(performance.now() - startTime).toBeLessThan(1_000);
});
