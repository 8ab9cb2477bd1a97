import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "./line-diff.ts";

test("lists added and removed lines with their numbers", () => {
  expect(diffLines("a\nb\nc", "a\nx\nc\nd").filter(({ kind }) => kind !== "same")).toEqual([
    { kind: "removed", text: "b", before: 2, after: undefined },
    { kind: "added", text: "x", before: undefined, after: 2 },
    { kind: "added", text: "d", before: undefined, after: 4 },
  ]);
});

test("both versions can be restored from any diff", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 30 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const side = (omitted: string): string => lines.flatMap((line) => (line.kind === omitted ? [] : [line.text])).join("\n");
      expect(side("added")).toBe(before);
      expect(side("removed")).toBe(after);
    }),
  );
});

test("a large rewrite is one replaced block", () => {
  const many = (word: string): string => Array.from({ length: 100_000 }, (_, index) => `${word}${index}`).join("\n");
  expect(diffLines(many("a"), many("b"))).toHaveLength(200_000);
});
