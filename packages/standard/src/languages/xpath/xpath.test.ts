import { FakeHost, languageUnderTest, SteppingClock } from "@sluice/testkit";
import { defineLanguage } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { describe, expect, test } from "vitest";
import { parseXml } from "../../xml/parse-xml.ts";
import { XmlNode } from "../../xml/xml-node.ts";
import { xpath } from "./xpath.ts";

const order = '<order id="7"><line sku="A">1</line><line sku="B">2</line><note>x &amp; y</note></order>';
const simple = defineLanguage({ ...xpath, name: "simple", compile: (text) => (exchange) => `${text}:${asText(exchange.message.headers.get("k"))}` });
const { evaluate, matches } = languageUnderTest(xpath, { languages: [simple] });
const string = { resultType: "java.lang.String" };

describe("results", () => {
  test.each([
    ["/order/@id", "STRING", "7"],
    ["/order/line", "STRING", "1"],
    ["/order/nothing", "STRING", ""],
    ["/order/note/text()", "java.lang.String", "x & y"],
    ["count(/order/line)", "NUMBER", 2],
    ["/order/@id", "NUMBER", 7],
    ["/order/note", "NUMBER", Number.NaN],
    ["/order/@id", "java.lang.Integer", 7],
    ["sum(/order/line)", "java.lang.Double", 3],
    ["/order/line = 2", "BOOLEAN", true],
    ["/order/nothing", "BOOLEAN", false],
    ["/order/line[@sku = 'C']", "java.lang.Boolean", false],
    ["/order/nothing", "NODE", null],
    ["/order/@id > 5 and /order/@id < 10", "BOOLEAN", true],
    ["string-join(for $l in /order/line return concat($l/@sku, $l), '+')", "STRING", "A1+B2"],
    ["(1 to 3) ! (. * 2)", "STRING", "2"],
    ["if (some $l in /order/line satisfies $l = 2) then 'yes' else 'no'", "STRING", "yes"],
    ["replace(/order/note, '[xy]', '-')", "STRING", "- & -"],
    ["string-join(tokenize('a,b,,c,', ','), '|')", "STRING", "a|b||c|"],
    ["string-join(tokenize('a,b,', '[^,]'), '|')", "STRING", "|,|,"],
    ["count(tokenize('abc', '.'))", "STRING", "4"],
    ["matches('ABC', 'b', 'i')", "BOOLEAN", true],
  ])("evaluates %s as %s", (text, resultType, expected) => {
    expect(evaluate(text, { body: order, options: { resultType } })).toEqual(expected);
  });

  test.each([
    ["string(//line)", "1"],
    ["concat(//line, '-', //line/@sku)", "1-A"],
    ["contains(//line/@sku, 'A')", "true"],
    ["starts-with(//note, 'x')", "true"],
    ["substring-before(//note, ' ')", "x"],
    ["substring-after(//note, '& ')", "y"],
    ["substring('12345', 2)", "2345"],
    ["substring('12345', 1.5, 2.6)", "234"],
    ["substring('12345', 0, 3)", "12"],
    ["substring('12345', number('x'), 3)", ""],
    ["string-length(//note)", "5"],
    ["normalize-space('  a   b ')", "a b"],
    ["translate('bar', 'abc', 'AB')", "BAr"],
    ["number(//line) + 1", "2"],
    ["name(/*)", "order"],
    ["string(//nothing)", ""],
    ["string(12)", "12"],
  ])("the first of several nodes is used, as in XPath 1.0: %s", (text, expected) => {
    expect(evaluate(text, { body: order, options: string })).toBe(expected);
  });

  test("resultQName also sets the result type", () => {
    expect(evaluate("count(/order/line)", { body: order, options: { resultQName: "NUMBER" } })).toBe(2);
  });

  test("without a type nodes stay nodes, and are converted to text as XML", () => {
    const nodes = evaluate("/order/line", { body: order }) as readonly XmlNode[];
    expect(nodes.map(String)).toEqual(['<line sku="A">1</line>', '<line sku="B">2</line>']);
    expect(nodes[0]).toBeInstanceOf(XmlNode);
    expect(asText(nodes)).toBe('<line sku="A">1</line><line sku="B">2</line>');
    expect(asText(evaluate("/order/note/text()", { body: order }))).toBe("x & y");
    expect(JSON.stringify({ found: evaluate("/order/@id | /order/line[2]", { body: order }) })).toBe('{"found":["7","<line sku=\\"B\\">2</line>"]}');
    expect(evaluate("/order/nothing", { body: order })).toHaveLength(0);
  });

  test("without a type, an atomic value is returned as text", () => {
    expect(evaluate("count(/order/line)", { body: order })).toBe("2");
  });

  test("a selected node can be queried again, as a separate document", () => {
    const line = evaluate("/order/line[2]", { body: order, options: { resultType: "NODE" } });
    expect(evaluate("/line/@sku", { body: line, options: string })).toBe("B");
    expect(evaluate("count(//note)", { body: line, options: string })).toBe("0");
  });

  test("a predicate uses the effective boolean value", () => {
    expect(matches("/order/line", { body: order })).toBe(true);
    expect(matches("/order/nothing", { body: order })).toBe(false);
    expect(matches("count(/order/nothing)", { body: order })).toBe(false);
    expect(matches("/order/@id = '7'", { body: new TextEncoder().encode(order) })).toBe(true);
  });
});

describe("the message", () => {
  test("functions read headers, body and properties, and evaluate simple", () => {
    expect(evaluate("in:header('K')", { body: "not xml", headers: { k: "v" }, options: string })).toBe("v");
    expect(evaluate("in:header('none')", { body: "<a/>", options: string })).toBe("");
    expect(evaluate("in:body()", { body: "plain", options: string })).toBe("plain");
    expect(evaluate("function:simple('hello')", { body: "<a/>", headers: { k: "v" }, options: string })).toBe("hello:v");
    expect(evaluate("function:properties('none:fallback')", { body: "<a/>", options: string })).toBe("fallback");
    expect(() => evaluate("function:properties('none')", { body: "<a/>" })).toThrowError(/property 'none' is not defined/);
  });

  test("$name is a variable, a header or a property", () => {
    expect(evaluate("/order/line[@sku = $sku]", { body: order, headers: { sku: "B" }, options: string })).toBe("2");
    expect(evaluate("$n + 1", { body: order, variables: { n: 2 }, options: { resultType: "NUMBER" } })).toBe(3);
    expect(evaluate("$n + 1", { body: order, headers: { n: "2" }, options: { resultType: "NUMBER" } })).toBe(3);
    expect(matches("in:header('n') > 5", { body: order, headers: { n: "7" } })).toBe(true);
    expect(matches("/order/line[. = $n]", { body: order, headers: { n: "2" } })).toBe(true);
    expect(evaluate("$p", { body: order, properties: { p: "q" }, options: string })).toBe("q");
    expect(evaluate("count($none)", { body: order, options: { resultType: "NUMBER" } })).toBe(0);
    expect(evaluate("for $sku in ('x') return $sku", { body: order, headers: { sku: "B" }, options: string })).toBe("x");
  });

  test("source reads something other than the body", () => {
    expect(evaluate("/a", { body: "no xml", headers: { doc: "<a>1</a>" }, options: { ...string, source: "header:doc" } })).toBe("1");
    expect(evaluate("/a", { body: "no xml", variables: { doc: parseXml("<a>2</a>") }, options: { ...string, source: "variable:doc" } })).toBe("2");
  });

  test.each([['[{"key":"n","value":"urn:x"}]'], ['{"n":"urn:x"}'], ["n=urn:x"]])("accepts namespaces as %s", (namespace) => {
    expect(evaluate("/n:a", { body: '<a xmlns="urn:x">1</a>', options: { ...string, namespace } })).toBe("1");
  });
});

describe("errors", () => {
  test.each([
    ["/a[", 2],
    ["/a/b[1]]", 7],
  ])("%s does not compile", (text, offset) => {
    expect(() => evaluate(text, { body: "<a/>" })).toThrowError(expect.objectContaining({ name: "CompileError", code: "xpath-syntax", offset }));
  });

  test.each(["nothing(1)", "foo:bar(1)", "doc('file:///etc/passwd')", "unparsed-text('file:///etc/passwd')", "environment-variable('PATH')", "/q:a"])(
    "%s reports the unknown name",
    (text) => {
      expect(() => xpath.compile(text, {}, languageUnderTest(xpath).scope)).toThrowError(
        expect.objectContaining({ name: "CompileError", code: "xpath-syntax" }),
      );
    },
  );

  test("an expression that is too long is rejected", () => {
    expect(() => evaluate(`'${"x".repeat(10_000)}'`, { body: "<a/>" })).toThrowError(expect.objectContaining({ code: "xpath-length" }));
  });

  test("invalid XML is reported with its position", () => {
    expect(() => evaluate("/a", { body: "{}" })).toThrowError(
      expect.objectContaining({ code: "invalid-xml", message: expect.stringContaining("line 1, column 1") }),
    );
    expect(() => evaluate("/a", { body: '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>' })).toThrowError(expect.objectContaining({ code: "xml-doctype" }));
  });

  test("a failing evaluation names the expression", () => {
    expect(() => evaluate("xs:integer(/a)", { body: "<a>x</a>" })).toThrowError(
      expect.objectContaining({ code: "xpath-failed", message: expect.stringContaining("xpath 'xs:integer(/a)' failed:") }),
    );
  });
});

test("a part of a document is a separate document for the next expression", () => {
  const body = '<o:orders xmlns:o="urn:o"><o:order id="1"><sku>A</sku></o:order><o:order id="2"><sku>B</sku></o:order></o:orders>';
  const parts = evaluate("//*[local-name() = 'order']", { body }) as readonly unknown[];
  const read = (text: string) => parts.map((part) => evaluate(text, { body: part, options: string }));
  expect(read("string(/*/@id)")).toEqual(["1", "2"]);
  expect(read("string(//sku)")).toEqual(["A", "B"]);
  expect(read("count(//*)")).toEqual(["2", "2"]);
  expect(read("namespace-uri(/*)")).toEqual(["urn:o", "urn:o"]);
  const [root] = [evaluate("/*", { body })].flat();
  expect(evaluate("count(/*/*)", { body: root, options: string })).toBe("2");
});

describe("work is bounded", () => {
  /** Every check of the clock costs a tenth of the limit, so that no test depends on the machine. */
  const slow = languageUnderTest(xpath, { host: Object.assign(new FakeHost(), { clock: new SteppingClock(15) }) });
  const wide = `<a>${"<b>x</b>".repeat(3000)}</a>`;

  test.each([
    ["count(//*[count(//*) > 1])", "limit-time"],
    ["count(for $a in //b, $b in //b return 1)", "limit-time"],
    ["sum(1 to 100000000)", "limit-time"],
    ["count(for $a in 1 to 50000, $b in 1 to 50000 return 1)", "limit-time"],
    ["every $a in (1 to 2000), $b in (1 to 2000) satisfies $a + $b > 0", "limit-time"],
    ["let $f := function($g) { $g($g) } return $f($f)", "limit-call-depth"],
  ])("%s is stopped", (text, code) => {
    expect(() => slow.evaluate(text, { body: wide })).toThrowError(expect.objectContaining({ code }));
  });

  test("a pattern with exponential backtracking runs in linear time", () => {
    expect(evaluate(`replace('${"a".repeat(2000)}!', '^(a+)+$', 'x')`, { body: "<a/>", options: string })).toMatch(/^a+!$/);
    expect(matches(`matches('${"a".repeat(2000)}!', '^(a+)+$')`, { body: "<a/>" })).toBe(false);
  });
});
