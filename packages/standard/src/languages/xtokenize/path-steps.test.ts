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

it("compares each element at most once for each // step", () => {
  let comparisons = 0;
  const element = {
    namespace: "",
    get local() {
      comparisons++;
      return "a";
    },
  };
  const path = readPath(`//b${"//a".repeat(10)}`, {});
  expect(
    matchesPath(
      path,
      Array.from({ length: 1_000 }, () => element),
    ),
  ).toBe(false);
  expect(comparisons).toBeLessThanOrEqual(1_000 + path.length);
});
