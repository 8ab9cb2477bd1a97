import { languageUnderTest, type LanguageInput } from "@sluice/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simple } from "../simple/simple.ts";
import { tokenize } from "./tokenize.ts";

const { evaluate } = languageUnderTest(tokenize, { languages: [simple] });
const tokens = (token: string, body: unknown, options: LanguageInput["options"] = {}, more: LanguageInput = {}): unknown[] => [
  ...(evaluate(token, { body, options, ...more }) as Iterable<unknown>),
];

async function streamTokens(token: string, chunks: readonly (string | Uint8Array)[], options: LanguageInput["options"] = {}): Promise<unknown[]> {
  async function* stream(): AsyncGenerator<string | Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(chunk);
  }
  const found: unknown[] = [];
  for await (const item of evaluate(token, { body: stream(), options }) as AsyncIterable<unknown>) found.push(item);
  return found;
}

const cases: readonly (readonly [title: string, token: string, options: Record<string, string>, text: string, expected: readonly string[]])[] = [
  ["a separator", ",", {}, "a,b,c", ["a", "b", "c"]],
  ["empty tokens are kept, except at the ends", ",", {}, ",a,,b,", ["a", "", "b"]],
  ["no separator at all", ",", {}, "abc", ["abc"]],
  ["empty text", ",", {}, "", []],
  ["a long separator", "--", {}, "a--b-c--d", ["a", "b-c", "d"]],
  ["separators included", ",", { includeTokens: "true" }, "a,b,c", ["a,", "b,", "c"]],
  ["\\n as two characters", "\\n", {}, "a\nb", ["a", "b"]],
  ["groups", "\n", { group: "2" }, "l1\nl2\nl3\nl4\nl5", ["l1\nl2", "l3\nl4", "l5"]],
  ["groups with their own separator", "\n", { group: "2", groupDelimiter: "|" }, "a\nb\nc", ["a|b", "c"]],
  ["without the first token", "\n", { group: "2", skipFirst: "true" }, "head\nl1\nl2\nl3", ["l1\nl2", "l3"]],
  ["a pattern", "[;,]+", { regex: "true" }, "a;b,,c", ["a", "b", "c"]],
  ["a pattern with whitespace", ",\\s*", { regex: "true" }, "a,  b,c", ["a", "b", "c"]],
  ["a pattern with separators included", "[;,]+", { regex: "true", includeTokens: "true" }, "a;b,,c", ["a;", "b,,", "c"]],
  ["pairs", "[START]", { endToken: "[END]" }, "[START]Vera[END]noise[START]Otto[END]", ["Vera", "Otto"]],
  ["pairs with their tokens", "<", { endToken: ">", includeTokens: "true" }, "x<a>y<b>z<c", ["<a>", "<b>"]],
  [
    "elements",
    "<person>",
    { xml: "true" },
    "<persons><person>Ann</person><person/><personal/><person a='>'>Bo</person></persons>",
    ["<person>Ann</person>", "<person/>", "<person a='>'>Bo</person>"],
  ],
  [
    "elements in groups",
    "person",
    { xml: "true", group: "2" },
    "<p><person>A</person><person>B</person><person>C</person></p>",
    ["<group><person>A</person><person>B</person></group>", "<group><person>C</person></group>"],
  ],
  [
    "elements that inherit namespaces",
    "o",
    { xml: "true", inheritNamespaceTagName: "os" },
    '<os xmlns="u" xmlns:p="v"><o><p:x/></o><o xmlns="w"/></os>',
    ['<o xmlns="u" xmlns:p="v"><p:x/></o>', '<o xmlns="w" xmlns:p="v"/>'],
  ],
];

describe("tokenize", () => {
  it.each(cases)("tokenizes: %s", async (_title, token, options, text, expected) => {
    expect(tokens(token, text, options)).toEqual(expected);
    expect(tokens(token, new TextEncoder().encode(text), options)).toEqual(expected);
    // However the text is chunked, the tokens are the same.
    expect(await streamTokens(token, [...text], options)).toEqual(expected);
    expect(await streamTokens(token, text.match(/[^]{1,3}/g) ?? [], options)).toEqual(expected);
  });

  it("decodes characters split between chunks", async () => {
    const bytes = new TextEncoder().encode("é,😀");
    expect(
      await streamTokens(
        ",",
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(["é", "😀"]);
  });

  it("reads headers, properties and variables instead of the body", () => {
    expect(tokens("-", "body", { source: "header:list" }, { headers: { list: "p-q" } })).toEqual(["p", "q"]);
    expect(tokens("-", "body", { source: "variable:v" }, { variables: { v: "x-y" } })).toEqual(["x", "y"]);
    expect(tokens("-", null)).toEqual([]);
    expect(tokens("${header.sep}", "a|b", {}, { headers: { sep: "|" } })).toEqual(["a", "b"]);
  });

  it("can be iterated again, and is serialized as a list", () => {
    const list = evaluate(",", { body: "a,b" }) as Iterable<string>;
    expect([...list]).toEqual([...list]);
    expect(JSON.stringify(list)).toBe('["a","b"]');
    expect(evaluate(",", { body: "a,b", options: { resultType: "java.util.List" } })).toEqual(["a", "b"]);
  });

  it("reads only as much as requested", () => {
    const text = "x\n".repeat(1_000_000);
    const lines = (evaluate("\n", { body: text }) as Iterable<string>)[Symbol.iterator]();
    expect(lines.next().value).toBe("x");
    let chunksRead = 0;
    function* endless(): Generator<string> {
      for (;;) {
        chunksRead++;
        yield "abc\n";
      }
    }
    const endlessTokens = (evaluate("\n", { body: endless() }) as Iterable<string>)[Symbol.iterator]();
    expect([endlessTokens.next().value, endlessTokens.next().value, endlessTokens.next().value]).toEqual(["abc", "abc", "abc"]);
    expect(chunksRead).toBe(3);
  });

  it("rejects invalid tokens", () => {
    expect(() => evaluate("", { body: "x" })).toThrow("requires a token");
    expect(() => evaluate("(", { body: "x", options: { regex: "true" } })).toThrow("not a valid pattern");
    expect(() => evaluate(",", { body: "x", options: { source: "header:" } })).toThrow("no name after the colon");
  });

  it("loses nothing: the joined tokens equal the text without a separator at its start or end", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", ",", "é") });
    fc.assert(
      fc.property(word, (text) => {
        const trimmed = text.replace(/^,|,$/g, "");
        expect(tokens(",", text).join(",")).toBe(text === "," || trimmed === "" ? (trimmed as string) : trimmed);
      }),
      { numRuns: 300 },
    );
  });
});
