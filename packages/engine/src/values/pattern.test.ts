import { callGrowth } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { compilePattern } from "./pattern.ts";

describe("compilePattern", () => {
  it.each([
    ["a.c", "abc", true],
    ["b", "abc", false],
    ["\\d{2}\\.\\d{4}", "12.2024", true],
    ["(?i)ABC", "abc", true],
    ["\\p{Alpha}+", "abc", true],
    ["[\\p{Upper}_]+", "A_B", true],
    ["a++b", "aab", true],
    ["\\u00e9+", "éé", true],
    ["\\p{L}+x{2}+", "éaxx", true],
    ["(?:a+)+b", "aab", true],
    ["a?+\\+", "a+", true],
    ["\\Qa.b\\E", "a.b", true],
    ["\\Q(?=\\E", "(?=", true],
    ["x\\h*y", "x \ty", true],
    ["", "", true],
  ])("%s matches the whole of %s: %s", (pattern, text, expected) => {
    expect(compilePattern(pattern).matches(text)).toBe(expected);
  });

  it.each([
    ["(?=a)b", "look-around"],
    ["(?<!a)b", "look-around"],
    ["(?>a)b", "atomic"],
    ["(a)\\1", "back-references"],
    ["[", "missing closing ]"],
    ["x".repeat(20_000), "longer than"],
  ])("rejects %s", (pattern, reason) => {
    expect(() => compilePattern(pattern)).toThrow(reason);
    expect(() => compilePattern(pattern)).toThrow(expect.objectContaining({ code: "pattern-invalid", type: "java.lang.IllegalArgumentException" }));
  });

  it("finds matches and groups", () => {
    const pattern = compilePattern("(\\w+)@(\\w+)?");
    expect(pattern.find("mail to ann@home now")).toBe(true);
    expect(pattern.exec("mail to ann@home now")).toEqual(["ann@home", "ann", "home"]);
    expect(pattern.exec("ann@ ")).toEqual(["ann@", "ann", undefined]);
    expect(pattern.exec("nobody")).toBeUndefined();
  });

  it("replaces with groups and literal dollars", () => {
    expect(compilePattern("(a)(b)?").replaceAll("ab a", "<$1>")).toBe("<a> <a>");
    expect(compilePattern("a").replaceFirst("aa", "\\$")).toBe("$a");
    expect(() => compilePattern("a").replaceAll("a", "$9")).toThrow("replacement");
  });

  it.each([
    [",", ",a,,b,,", ["", "a", "", "b"]],
    ["", "abc", ["a", "b", "c"]],
    ["\\s*;\\s*", "a ; b", ["a", "b"]],
    ["x", "", [""]],
    ["x", "abc", ["abc"]],
    ["x", "xx", []],
  ])("splits as Java does: %s on %s", (pattern, text, expected) => {
    expect(compilePattern(pattern).split(text)).toEqual(expected);
  });

  it("takes linear time where backtracking would never finish", async () => {
    const pattern = compilePattern("^(a+)+$");
    expect(await callGrowth((size) => expect(pattern.matches(`${"a".repeat(size)}!`)).toBe(false), 500)).toBeLessThan(10);
  });
});
