import { expect, test } from "vitest";
import { mergedText, mergeTexts } from "./merge-texts.ts";

const base = "a\nb\nc\nd\ne\n";

test("changes of different lines are both applied", () => {
  const parts = mergeTexts(base, "a\nB\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n");
  expect(parts.every(({ kind }) => kind === "settled")).toBe(true);
  expect(mergedText(parts, [])).toBe("a\nB\nc\nd\nE\nf\n");
});

test("the same change on both sides is applied once; removed lines stay removed", () => {
  expect(mergedText(mergeTexts(base, "a\nX\nc\nd\ne\n", "a\nX\nc\ne\n"), [])).toBe("a\nX\nc\ne\n");
});

test("different changes of the same lines are a conflict, decided one by one", () => {
  const parts = mergeTexts(base, "a\nM\nc\nd\nmine\n", "a\nT\nc\nd\ntheirs\n");
  expect(parts.filter(({ kind }) => kind === "conflict")).toEqual([
    { kind: "conflict", mine: ["M"], theirs: ["T"] },
    { kind: "conflict", mine: ["mine"], theirs: ["theirs"] },
  ]);
  expect(mergedText(parts, ["theirs", "mine"])).toBe("a\nT\nc\nd\nmine\n");
});

test("lines inserted at the same place are a conflict", () => {
  expect(mergeTexts("a\nb", "a\nx\nb", "a\ny\nb").filter(({ kind }) => kind === "conflict")).toHaveLength(1);
});

test("if one side is unchanged, the result is the other side", () => {
  for (const text of ["", "a", "e\nd\nc\nb\na\n", base]) {
    expect(mergedText(mergeTexts(base, text, base), [])).toBe(text);
    expect(mergedText(mergeTexts(base, base, text), [])).toBe(text);
  }
});
