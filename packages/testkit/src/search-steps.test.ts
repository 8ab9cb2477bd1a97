import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchGrowth, searchSteps } from "./search-steps.ts";

describe("counting the steps of searches", () => {
  it.each([
    /a*b/,
    /(a|ab)(c|bcd)(d*)/,
    /(?:a+)+$/,
    /^(?:x|(y)z?)*\1/m,
    /"([^"\\]|\\.)*"/g,
    /a{2,3}?b{1}/i,
    /(?=a)\w+(?!b)/y,
    /[^\]a-c]+|\bz/u,
    /(?<first>a?)*\x62|\u{1F600}/gu,
  ])("finds what V8 finds for %s", (pattern) => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", "c", "d", "x", "y", "z", "A", '"', "\\", "]", "\n", "\u{1F600}") }), (text) => {
        expect(() => searchSteps(() => text.replace(pattern, (found) => `<${found}>`))).not.toThrow();
      }),
    );
  });

  it("tells linear from quadratic patterns and searches", () => {
    const growths = [/b*c/, /[ab]+/, /b+?c/, /(?:b?){3}c/, /(?:b|bb)+c/].map((pattern) => searchGrowth((size) => pattern.test("b".repeat(size)), 20));
    expect(growths.map((growth) => Math.round(growth / 8))).toEqual([Infinity, 1, Infinity, 1, Infinity]);
    const search = (find: (text: string, at: number) => unknown) => (size: number) => {
      for (let at = 0; at < size; at++) find("b".repeat(size), at);
    };
    expect(
      searchGrowth(
        search((text, at) => text.indexOf("c", at)),
        100,
      ),
    ).toBe(Infinity);
    expect(
      Math.round(
        searchGrowth(
          search((text, at) => text.indexOf("b", at)),
          100,
        ),
      ),
    ).toBe(8);
  });
});
