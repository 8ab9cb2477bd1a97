import fc from "fast-check";
import { expect, it } from "vitest";
import { copyString } from "./copy-string.ts";

it("returns an equal string for any content", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 60 }), (units) => {
      const text = String.fromCharCode(...units);
      return copyString(text) === text;
    }),
  );
  expect(copyString("x\u{1f600}".repeat(10).slice(3, 18))).toBe("x\u{1f600}".repeat(10).slice(3, 18));
});
