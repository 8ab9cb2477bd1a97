import { languageUnderTest } from "@sluice/testkit";
import { asText } from "@sluice/engine/values";
import { expect, test } from "vitest";
import { xquery } from "./xquery.ts";

const { evaluate } = languageUnderTest(xquery);
const people = '<people xmlns:x="urn:x"><person name="Ada" age="36"/><person name="Bo" age="7"/></people>';

test("new elements are created from the message", () => {
  const result = evaluate(
    '<adults n="{count(/people/person[@age > 17])}">{for $p in /people/person[@age > 17] order by $p/@name return <p>{data($p/@name)}</p>}</adults>',
    { body: people },
  );
  expect(asText(result)).toBe('<adults n="1"><p>Ada</p></adults>');
});

test("parts of the message are copied into the result", () => {
  expect(evaluate("<r>{/people/person[1]}</r>", { body: people, options: { resultType: "java.lang.String" } })).toMatch(/^<r><person .*name="Ada".*\/><\/r>$/);
});

test("a query can declare functions and use variables of the message", () => {
  const text = "declare function local:double($n as xs:integer) as xs:integer { $n * 2 }; local:double(21) + $extra";
  expect(evaluate(text, { body: people, headers: { extra: 1 }, options: { resultType: "NUMBER" } })).toBe(43);
});

test("an invalid query is rejected at compile time", () => {
  expect(() => evaluate("for $p in return 1", { body: people })).toThrowError(expect.objectContaining({ code: "xquery-syntax" }));
  expect(() => evaluate("<a>{nothing()}</a>", { body: people })).toThrowError(expect.objectContaining({ code: "xquery-syntax" }));
});

test("endless recursion is stopped", () => {
  expect(() => evaluate("declare function local:f($n) { local:f($n + 1) }; local:f(1)", { body: people })).toThrowError(
    expect.objectContaining({ code: "limit-call-depth" }),
  );
});
