import fc from "fast-check";
import { expect, it } from "vitest";
import { printedDiff } from "./printed-diff.ts";

it("shows removed and added lines, with a line of context", () => {
  expect(printedDiff("a\nb\nc\nd", "a\nx\nc\nd\ne")).toEqual(["  a", "- b", "+ x", "  c", "  d", "+ e"]);
  expect(printedDiff("same", "same")).toEqual([]);
});

it("applying the removed and added lines turns one text into the other", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "")).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = printedDiff(before, after);
      const side = (mark: string): readonly string[] => diff.filter((line) => line.startsWith(mark) || line.startsWith("  ")).map((line) => line.slice(2));
      const [oldPart, newPart] = [side("- "), side("+ ")];
      const lines = before.split("\n");
      // The lines that the diff omits at both ends are equal in both texts.
      const isResult = (start: number): boolean =>
        lines.slice(start, start + oldPart.length).join("\n") === oldPart.join("\n") && lines.toSpliced(start, oldPart.length, ...newPart).join("\n") === after;
      return [...lines.keys(), lines.length].some(isResult);
    }),
  );
});
