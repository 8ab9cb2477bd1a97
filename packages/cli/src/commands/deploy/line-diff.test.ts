import fc from "fast-check";
import { expect, it } from "vitest";
import { lineDiff } from "./line-diff.ts";

it("shows what goes and what comes, with a line before it", () => {
  expect(lineDiff("a\nb\nc\nd", "a\nx\nc\nd\ne")).toEqual(["  a", "- b", "+ x", "  c", "  d", "+ e"]);
  expect(lineDiff("same", "same")).toEqual(["  same"]);
});

it("taking out what goes and putting in what comes leads from one text to the other", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "")).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = lineDiff(before, after);
      const side = (mark: string): string =>
        diff
          .filter((line) => line.startsWith(mark) || line.startsWith("  "))
          .map((line) => line.slice(2))
          .join("\n");
      // What the diff leaves out at both ends is the same on both sides.
      const [left, right] = [side("- "), side("+ ")];
      const start = before.indexOf(left);
      return start >= 0 && after.includes(right);
    }),
  );
});
