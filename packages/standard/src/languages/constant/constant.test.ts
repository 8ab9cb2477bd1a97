import { languageUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { constant } from "./constant.ts";

describe("constant", () => {
  const { evaluate } = languageUnderTest(constant);

  it.each([
    [" ${body} ", {}, "${body}"],
    [" x ", { trim: "false" }, " x "],
    ["42", { resultType: "int" }, 42],
    ["true", { resultType: "java.lang.Boolean" }, true],
  ])("evaluates %s with %o", (text, options, expected) => {
    expect(evaluate(text, { body: "b", options })).toBe(expected);
  });

  it.each([
    ["x", "int", "conversion-failed"],
    ["x", "Nothing", "language-result-type"],
  ])("rejects %s as %s when compiling", (text, resultType, code) => {
    expect(() => constant.compile(text, { resultType }, languageUnderTest(constant).scope)).toThrow(expect.objectContaining({ code }));
  });
});
