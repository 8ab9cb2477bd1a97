import { exchangeOf, optionsOf, SteppingClock } from "@sluice/testkit";
import { expect, test } from "vitest";
import { jacksonXml } from "./jackson-xml.ts";

const format = (options: Record<string, string> = {}) => jacksonXml.create(optionsOf(jacksonXml, options));
const read = (body: unknown, options?: Record<string, string>): unknown => format(options).unmarshal(body, exchangeOf(body));
const write = (body: unknown, options?: Record<string, string>): unknown => format(options).marshal(body, exchangeOf(body));

test.each([
  ["<order><id>7</id><line><sku>A</sku></line></order>", { id: "7", line: { sku: "A" } }],
  ["<o><l>1</l><l>2</l><m>x</m></o>", { l: ["1", "2"], m: "x" }],
  ['<o a="1"><b c="2">t</b></o>', { a: "1", b: { c: "2", "": "t" } }],
  ['<p:o xmlns:p="u" p:a="1"><p:b>x</p:b></p:o>', { a: "1", b: "x" }],
  ["<o><e/><f></f></o>", { e: "", f: "" }],
  ["<o>text</o>", "text"],
  ["<o/>", ""],
  ["<o>\n  <a>1</a>\n</o>", { a: "1" }],
  ["<o><a>&lt;b&gt;</a><c><![CDATA[<d>]]></c></o>", { a: "<b>", c: "<d>" }],
])("%s is read", (xml, expected) => {
  expect(read(xml)).toEqual(expected);
  expect(read(new TextEncoder().encode(xml))).toEqual(expected);
});

test.each([
  [
    { id: 7, line: [{ sku: "A" }, { sku: "B" }], none: null },
    {},
    "<ObjectNode><id>7</id><line><sku>A</sku></line><line><sku>B</sku></line><none/></ObjectNode>",
  ],
  [[1, 2], { rootName: "list" }, "<list><item>1</item><item>2</item></list>"],
  [new Map([["a", "x<y"]]), {}, "<ObjectNode><a>x&lt;y</a></ObjectNode>"],
  [{ a: { b: 1 } }, { prettyPrint: "true" }, "<ObjectNode>\n  <a>\n    <b>1</b>\n  </a>\n</ObjectNode>\n"],
  ["text", {}, "<ObjectNode>text</ObjectNode>"],
])("%j is written", (body, options, expected) => {
  expect(write(body, options as Record<string, string>)).toBe(expected);
});

test("the content type is set", () => {
  const exchange = exchangeOf({});
  format().marshal({}, exchange);
  expect(exchange.message.headers.get("Content-Type")).toBe("application/xml");
});

test("a DOCTYPE and keys that are not XML names are rejected", () => {
  expect(() => read('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>')).toThrowError(expect.objectContaining({ code: "xml-doctype" }));
  expect(() => write({ "a b": 1 })).toThrowError(expect.objectContaining({ code: "xml-name" }));
  expect(() => write({ "x><y": 1 })).toThrowError(expect.objectContaining({ code: "xml-name" }));
});

test("a long list and a long string are written in slices", async () => {
  const sliced = jacksonXml.create(optionsOf(jacksonXml), new SteppingClock(20));
  const text = "<&".repeat(100_000);
  const numbers = Array.from({ length: 30_000 }, (_, index) => index);
  const writing = sliced.marshal({ text, numbers }, exchangeOf());
  expect(writing).toBeInstanceOf(Promise);
  expect(await writing).toBe(
    `<ObjectNode><text>${"&lt;&amp;".repeat(100_000)}</text>${numbers.map((item) => `<numbers>${item}</numbers>`).join("")}</ObjectNode>`,
  );
});

test("nested lists count toward the maximum depth, and are written as one list", () => {
  let list: unknown[] = [];
  for (let level = 0; level < 600; level++) list = [list, 1];
  expect(() => write({ list })).toThrowError(expect.objectContaining({ code: "limit-size" }));
  expect(write({ a: [[], [[]]], b: [[1], [2, [3]]] })).toBe("<ObjectNode><b>1</b><b>2</b><b>3</b></ObjectNode>");
});

test("indentation cannot make a body arbitrarily long", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 490; level++) deep = { a: deep };
  expect(() =>
    write(
      Array.from({ length: 200 }, () => deep),
      { prettyPrint: "true" },
    ),
  ).toThrowError(expect.objectContaining({ code: "limit-payload" }));
});
