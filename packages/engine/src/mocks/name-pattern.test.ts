import { callGrowth } from "@sluice/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namePattern } from "./name-pattern.ts";

const matches = (pattern: string, text: string): boolean => namePattern(pattern, "match")(text);

describe("a name pattern", () => {
  it("supports exact, wildcard and regular expression patterns", () => {
    expect([matches("a.b", "a.b"), matches("a.b", "axb")]).toEqual([true, false]);
    expect([matches("http*://crm*", "https://crm.example/x"), matches("http*://crm*", "ftp://crm")]).toEqual([true, false]);
    expect([matches("*", ""), matches("a*a", "a"), matches("a*b*c", "abc"), matches("a*b*c", "acb")]).toEqual([true, false, true, false]);
    expect([matches("/o\\d+/", "o12"), matches("/o\\d+/", "xo12")]).toEqual([true, false]);
  });

  it("matches wildcards like the equivalent regular expression", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 });
    fc.assert(
      fc.property(letters, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }), (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll("*", ".*")}$`);
        return matches(pattern, text) === expression.test(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes linear time for a regular expression designed to be slow", async () => {
    expect(await callGrowth((size) => expect(matches("/(a+)+/", `${"a".repeat(size)}b`)).toBe(false), 500)).toBeLessThan(10);
  });
});
