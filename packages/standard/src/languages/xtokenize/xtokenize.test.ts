import { languageUnderTest, type LanguageInput } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { xtokenize } from "./xtokenize.ts";

const { evaluate } = languageUnderTest(xtokenize);
const tokens = (path: string, body: unknown, options: LanguageInput["options"] = {}): unknown[] => [
  ...(evaluate(path, { body, options }) as Iterable<unknown>),
];

async function streamedTokens(path: string, text: string, size: number, options: LanguageInput["options"] = {}): Promise<unknown[]> {
  async function* stream(): AsyncGenerator<string> {
    for (let from = 0; from < text.length; from += size) yield await Promise.resolve(text.slice(from, from + size));
  }
  const found: unknown[] = [];
  for await (const item of evaluate(path, { body: stream(), options }) as AsyncIterable<unknown>) found.push(item);
  return found;
}

const orders = `<?xml version="1.0"?><!DOCTYPE o [<!ENTITY x "y">]><!-- <o:order/> -->
<o:orders xmlns:o="urn:o" xmlns="urn:d"><o:order id="1"><line>a &amp; b</line></o:order><x><o:order id="2" t="a>b"/></x><o:order><o:order>in</o:order><![CDATA[</o:order>]]></o:order></o:orders>`;
const namespace = '[{"key":"o","value":"urn:o"},{"key":"d","value":"urn:d"}]';

describe("xtokenize", () => {
  it.each([
    ["/o:orders/o:order", "u", ["<line>a &amp; b</line>", "<o:order>in</o:order><![CDATA[</o:order>]]>"]],
    ["//o:order", "t", ["a & b", "", "in</o:order>"]],
    ["//d:line", "i", ['<line xmlns:o="urn:o" xmlns="urn:d">a &amp; b</line>']],
    ["//d:x/o:order", "i", ['<o:order id="2" t="a>b" xmlns:o="urn:o" xmlns="urn:d"/>']],
    ["//d:x/o:order", "w", ['<o:orders xmlns:o="urn:o" xmlns="urn:d"><x><o:order id="2" t="a>b"/></x></o:orders>']],
    ["/o:orders//o:order/d:line", "t", ["a & b"]],
    ["//d:x/*", "t", [""]],
    ["//line", "t", []],
    ["/d:line", "t", []],
  ])("splits by %s in mode %s", async (path, mode, expected) => {
    const options = { mode, namespace };
    expect(tokens(path, orders, options)).toEqual(expected);
    expect(tokens(path, new TextEncoder().encode(orders), options)).toEqual(expected);
    expect(await streamedTokens(path, orders, 1, options)).toEqual(expected);
    expect(await streamedTokens(path, orders, 7, options)).toEqual(expected);
  });

  it("ignores namespaces when none are declared, and joins elements into groups", () => {
    expect(tokens("//order", '<a xmlns="u"><order>1</order><order>2</order><order>3</order></a>', { mode: "t", group: "2" })).toEqual([
      "<group>12</group>",
      "<group>3</group>",
    ]);
  });

  it("adds the namespace declarations of open ancestors to a token; inner declarations override outer ones", () => {
    const text = '<a xmlns="1" xmlns:p="1"><b xmlns:q="2"/><c xmlns:p="2"><z/></c><d xmlns:p="3"></d><z/></a>';
    expect(tokens("//z", text)).toEqual(['<z xmlns="1" xmlns:p="2"/>', '<z xmlns="1" xmlns:p="1"/>']);
    expect(tokens("//p:z", '<a xmlns:x="1"><x:z/><b xmlns:x="2"><x:z/></b><x:z n="3"/></a>', { mode: "i", namespace: "p=1" })).toEqual([
      '<x:z xmlns:x="1"/>',
      '<x:z n="3" xmlns:x="1"/>',
    ]);
  });

  it("rejects too many inherited declarations, at any depth", () => {
    let count = 0;
    const startTag = (declarations: number): string => `<a${Array.from({ length: declarations }, () => ` xmlns:p${count++}="u"`).join("")}>`;
    const nested = (depth: number, declarations: number): string =>
      `${Array.from({ length: depth }, () => startTag(declarations)).join("")}<z/>${"</a>".repeat(depth)}`;
    expect(tokens("//z", nested(10, 100))).toHaveLength(1);
    expect(() => tokens("//z", nested(11, 100))).toThrow("more than 1000 namespaces are declared around one element");
    expect(tokens("//z", `<r>${nested(5, 100).repeat(20)}</r>`)).toHaveLength(20);
  });

  it("does not resolve entities", () => {
    expect(tokens("//a", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', { mode: "t" })).toEqual(["&x;"]);
  });

  it("reports errors in the XML", () => {
    expect(() => tokens("//a", "<a><b></a>")).toThrow("expected </b>, found </a>");
    expect(() => tokens("//a", "<a><b></a>")).toThrow(expect.objectContaining({ code: "invalid-xml", details: { clientFault: true } }));
    expect(() => tokens("//a", "<a><b/>")).toThrow("<a> is not closed");
    expect(() => tokens("//a", "<r><a></a><b")).toThrow("a tag is not closed");
    expect(() => tokens("//x", "<a>".repeat(2000))).toThrow("nested deeper");
  });

  it("rejects invalid paths at deploy time", () => {
    expect(() => evaluate("//o:a", { body: "" })).toThrow("prefix 'o' is not declared");
    expect(() => evaluate("//a[1]", { body: "" })).toThrow("not a path of element names");
    expect(() => evaluate("", { body: "" })).toThrow("not a path of element names");
  });
});
