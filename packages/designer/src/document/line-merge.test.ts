import { expect, test } from "vitest";
import { mergedText, mergeLines } from "./line-merge.ts";

const base = "a\nb\nc\nd\ne\n";

test("changes to different lines are both applied", () => {
  const parts = mergeLines(base, "a\nB\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n");
  expect(parts.every(({ kind }) => kind === "merged")).toBe(true);
  expect(mergedText(parts, [])).toBe("a\nB\nc\nd\nE\nf\n");
});

test("the same change on both sides is applied once; removed lines stay removed", () => {
  expect(mergedText(mergeLines(base, "a\nX\nc\nd\ne\n", "a\nX\nc\ne\n"), [])).toBe("a\nX\nc\ne\n");
});

test("different changes to the same lines are a conflict, decided one by one", () => {
  const parts = mergeLines(base, "a\nM\nc\nd\nmine\n", "a\nT\nc\nd\ntheirs\n");
  expect(parts.filter(({ kind }) => kind === "conflict")).toEqual([
    { kind: "conflict", mine: ["M"], theirs: ["T"] },
    { kind: "conflict", mine: ["mine"], theirs: ["theirs"] },
  ]);
  expect(mergedText(parts, ["theirs", "mine"])).toBe("a\nT\nc\nd\nmine\n");
});

test("lines inserted at the same position are a conflict", () => {
  expect(mergeLines("a\nb", "a\nx\nb", "a\ny\nb").filter(({ kind }) => kind === "conflict")).toHaveLength(1);
});

test("if one side is unchanged, the result is the other side", () => {
  for (const text of ["", "a", "e\nd\nc\nb\na\n", base]) {
    expect(mergedText(mergeLines(base, text, base), [])).toBe(text);
    expect(mergedText(mergeLines(base, base, text), [])).toBe(text);
  }
});
