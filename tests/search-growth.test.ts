// Searches in text, whose steps are counted: eight times the input may cause about eight times the steps. What native code does in other ways is
// measured in `tests/long/complexity.test.ts`.
import { findConversion, compareValues } from "@sluice/engine/values";
import { Placeholders } from "@sluice/model";
import { FakeHost, languageUnderTest, searchGrowth } from "@sluice/testkit";
import { expect, it } from "vitest";
import { numberIn } from "../packages/mapping/src/message-mapping/values.ts";
import { jq } from "../packages/standard/src/languages/jq/jq.ts";
import { simple } from "../packages/standard/src/languages/simple/simple.ts";

const host = new FakeHost();
const language = { simple: languageUnderTest(simple, { host }), jq: languageUnderTest(jq, { host }) };
const evaluate = (name: keyof typeof language, text: string, body: unknown): unknown => {
  try {
    return language[name].evaluate(text, { body });
  } catch (error) {
    // A value that is rejected was searched first.
    return error;
  }
};
const placeholders = new Placeholders({ property: () => undefined });

it.each<[string, (size: number) => unknown]>([
  ...["}}", "\\{{"].map((piece): [string, (size: number) => unknown] => [`placeholders: ${piece}`, (size) => placeholders.resolve(piece.repeat(size))]),
  ["a number of a mapping: almost", (size) => numberIn(`${"0".repeat(size)}!`)],
  ["conversion to Double: almost", (size) => expect(() => findConversion("Double")?.(`${"0".repeat(size)}!`)).toThrow()],
  ["conversion to Integer: almost", (size) => expect(() => findConversion("Integer")?.(`${"0".repeat(size)}!`)).toThrow()],
  ["comparison: almost a number", (size) => compareValues(`${"0".repeat(size)}!`, "5")],
  ["jq: almost a number", (size) => evaluate("jq", "tonumber", JSON.stringify(`${"0".repeat(size)}!`))],
  ["jq: almost base64", (size) => evaluate("jq", "@base64d", JSON.stringify(`${"=".repeat(size)}!`))],
  ["simple: htmlDecode", (size) => evaluate("simple", "${htmlDecode()}", "<a '".repeat(size))],
  ["simple: htmlParse", (size) => evaluate("simple", "${htmlParse()}", "<head>".repeat(size))],
  ["simple: prettyBody", (size) => evaluate("simple", "${prettyBody}", "<".repeat(size))],
])("the steps are proportional to the text: %s", (_name, search) => {
  const growth = searchGrowth(search, 1_000);
  expect(growth).toBeLessThan(10);
  // Otherwise the search was not counted.
  expect(growth).toBeGreaterThan(6);
});
