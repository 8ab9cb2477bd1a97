import { CompileError, FlowError } from "@sluice/engine/spi";
import { languageUnderTest, type LanguageInput } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { simple } from "./simple.ts";

const { evaluate, matches } = languageUnderTest(simple);

const message: LanguageInput = {
  body: { a: 1, list: ["x"], nested: { map: { k: null } } },
  headers: { score: 85, low: 10, word: "abc", padded: " hi there ", zero: 0 },
};

describe("ternaries in braces nest in every position", () => {
  it.each([
    ["${header.score >= 90 ? 'A' : ${header.score} >= 80 ? 'B' : 'C'}", "B"],
    ["${header.low >= 90 ? 'A' : ${header.low} >= 80 ? 'B' : 'C'}", "C"],
    ["${header.score >= 80 ? 'A' : ${header.score} >= 80 ? 'B' : 'C'}", "A"],
    ["${header.score >= 90 ? 'A' : header.score >= 80 ? 'B' : 'C'}", "B"],
    ["${header.score >= 99 ? 'A' : header.score >= 95 ? 'B' : header.score >= 90 ? 'C' : ${header.score} >= 85 ? 'D' : 'E'}", "D"],
    ["${header.score > 80 ? ${header.low} > 50 ? 'both' : 'one' : 'none'}", "one"],
    ["${header.score > 80 ? ${header.low > 50 ? 'both' : 'one'} : 'none'}", "one"],
    ["${header.score > 90 ? 'A' : ${header.word} == 'abc' && ${header.low} == 10 ? 'B' : 'C'}", "B"],
    ["${header.score > 90 ? 'A' : 'x' == 'y' ? 'B' : 'C'}", "C"],
    ["${header.score > 90 ? 'A' : ${header.none} == null ? null : 'C'}", null],
    ["${header.score > 90 ? 'A' : ${header.score} > 80 ? header.score : body}", 85],
    ["[${header.score >= 90 ? 'A' : ${header.score} >= 80 ? 'B' : 'C'}]", "[B]"],
    ["${header.score >= 90 ?'A':'B'}", "B"],
    ["${${header.word} ?'set':'unset'}", "set"],
  ])("evaluates %s", (text, expected) => {
    expect(evaluate(text, message)).toEqual(expected);
  });

  it.each([
    ["${header.score >= 90 ? 'false' : ${header.score} >= 80 ? 'true' : 'false'}", true],
    ["${header.score} > 90 ? 'true' : ${header.low} > 5", true],
    ["${header.score} > 90 ? 'true' : 'false'", false],
    // Operators outside of braces associate to the left: the first ternary is the condition of the second.
    ["${header.score} > 80 ? 'true' : 'true' ? 'false' : 'true'", false],
  ])("evaluates the predicate %s", (text, expected) => {
    expect(matches(text, message)).toBe(expected);
  });
});

describe("?. after an index guards the value at the index", () => {
  it.each([
    ["${body[missing]?.x}", null],
    ["${body['missing key']?.x.y.z}", null],
    ["${body.nested.map[k]?.x}", null],
    ["${body.nested.map[nope]?.x[0]}", null],
    ["${body[a]}", 1],
  ])("evaluates %s", (text, expected) => {
    expect(evaluate(text, message)).toEqual(expected);
  });

  it.each(["${body[missing].x}", "${body.list[7]?.x}"])("%s still fails", (text) => {
    expect(() => evaluate(text, message)).toThrow(FlowError);
  });
});

describe("operators of a template", () => {
  it.each([
    ["${substringAfter('zz')} ?~> ${uppercase()} ~> ${size()}", null],
    ["${header.word} ?~> ${substringAfter('zz')} ~> ${size()}", null],
    ["${header.word} ?~> ${uppercase()} ~> ${length()}", 3],
    ["${header.word} ~> ${substringAfter('zz')} ?~> ${size()}", 0],
    ["${header.none} ?: ${header.word} ~> ${uppercase()}", "ABC"],
    ["${header.none} ?: 'x' rest", "x rest"],
    ["${header.none} ?: 5", "5"],
    ["${header.none} ?: null", "null"],
    ["a ?: 'b'", "a"],
    ["is it ?: or not", undefined],
    ["${header.none}?:'x'", "?:'x'"],
    ["say ${header.padded} ~> ${trim()} ~> ${uppercase()} now", "say HI THERE now"],
    ["${val(x)}", "x"],
  ])("evaluates %s", (text, expected) => {
    if (expected === undefined) expect(() => evaluate(text, message)).toThrow(CompileError);
    else expect(evaluate(text, message)).toEqual(expected);
  });

  it.each([
    ["${header.nope} ?: bare", 18],
    ["${header.nope} ?: 'x'y", 21],
    ["${header.nope} ?: 5x", 18],
    ["${header.nope} ?: -5", 18],
    ["${trim()}~>${uppercase()}", 11],
    ["${trim()} ~>${uppercase()}", 12],
    ["${trim()} ~> bare", 13],
    ["${trim()} ~> ${uppercase()}!", 27],
    ["~> ${uppercase()}", 0],
    ["?~> ${uppercase()}", 0],
    ["${val()}", 6],
    ["${header.x ?: 'y'}", 10],
    ["${header.x ~> ${trim()}}", 11],
  ])("%s is rejected with its position", (text, offset) => {
    expect(() => evaluate(text, message)).toThrow(expect.objectContaining({ constructor: CompileError, offset }) as Error);
  });
});
