import { FakeHost, languageUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { jq } from "../jq/jq.ts";
import { jsonpath } from "../jsonpath/jsonpath.ts";
import { tokenize } from "../tokenize/tokenize.ts";
import { xpath } from "../xpath/xpath.ts";

const host = new FakeHost();
host.globals.set("beer", { name: "global" });
const input = { body: {}, headers: { beer: { name: "header" } }, properties: { beer: { name: "property" } }, variables: { beer: { name: "variable" } } };

describe("source", () => {
  it.each([
    ["beer", "variable"],
    ["variable:beer", "variable"],
    ["global:beer", "global"],
    ["variable:global:beer", "global"],
    ["header:beer", "header"],
    ["property:beer", "property"],
    ["exchangeProperty:beer", "property"],
  ])("%s reads the %s", (source, expected) => {
    expect(languageUnderTest(jq, { host }).evaluate(".name", { ...input, options: { source } })).toBe(expected);
    expect(languageUnderTest(jsonpath, { host }).evaluate("$.name", { ...input, options: { source } })).toBe(expected);
  });

  it("can be a plain variable name for xpath and tokenize", () => {
    const variables = { doc: "<a>1</a>", list: "x,y" };
    expect(languageUnderTest(xpath).evaluate("string(/a)", { variables, options: { source: "doc" } })).toBe("1");
    expect([...(languageUnderTest(tokenize).evaluate(",", { variables, options: { source: "list" } }) as Iterable<string>)]).toEqual(["x", "y"]);
  });

  it.each(["header:", "property: ", "variable:", "nowhere:beer"])("rejects '%s'", (source) => {
    expect(() => languageUnderTest(jq, { host }).evaluate(".", { ...input, options: { source } })).toThrow(expect.objectContaining({ name: "CompileError" }));
  });
});
