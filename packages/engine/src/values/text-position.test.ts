import { describe, expect, it } from "vitest";
import { textPosition } from "./text-position.ts";

describe("textPosition", () => {
  it.each([
    ["", 0, "line 1, column 1"],
    ["abc", 3, "line 1, column 4"],
    ["a\nb", 1, "line 1, column 2"],
    ["a\nb", 2, "line 2, column 1"],
    ["\n\n\n", 3, "line 4, column 1"],
    ["a\r\nbc", 4, "line 2, column 2"],
  ])("finds the line and column of an offset: %j, %i", (text, offset, expected) => {
    expect(textPosition(text, offset)).toBe(expected);
  });
});
