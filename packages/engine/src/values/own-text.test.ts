import fc from "fast-check";
import { expect, it } from "vitest";
import { ownText } from "./own-text.ts";

it("returns an equal text for any content", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => ownText(text) === text));
  expect(ownText("x\u{1f600}".repeat(10).slice(3, 18))).toBe("x\u{1f600}".repeat(10).slice(3, 18));
});
