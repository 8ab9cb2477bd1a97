import * as fc from "fast-check";
import * as slimdom from "slimdom";
import { decodeXml } from "@sluice/engine/values";
import { describe, expect, test } from "vitest";
import { parseXml, xmlLimits } from "./parse-xml.ts";
import { readXml } from "./read-xml.ts";
import { serializeXml } from "./serialize-xml.ts";
import { XmlWriter } from "./object-to-xml.ts";
import { elementToObject, plainShape } from "./xml-object.ts";
import type { XmlNode } from "./xml-node.ts";

const rewritten = (text: string): string => parseXml(text).toString();

describe("reading and writing", () => {
  test.each([
    ["<a/>", "<a/>"],
    ["<a></a>", "<a/>"],
    ["<?xml version='1.0' encoding='UTF-8'?>\n<a x='1'>t</a>\n", '<a x="1">t</a>'],
    ["<a>x<![CDATA[<&]]>y</a>", "<a>x&lt;&amp;y</a>"],
    ["<a>&lt;&#65;&#x42;&quot;</a>", '<a>&lt;AB"</a>'],
    ["<a b='x\ty&#9;'/>", '<a b="x y&#9;"/>'],
    ["<a>\r\nx\r</a>", "<a>\nx\n</a>"],
    ["<a><!-- c --><?go now?></a>", "<a><!-- c --><?go now?></a>"],
    ['<p:a xmlns:p="u"><p:b p:c="1"/></p:a>', '<p:a xmlns:p="u"><p:b p:c="1"/></p:a>'],
    ["<é日本 ö='1'/>", '<é日本 ö="1"/>'],
  ])("%j is written as %j", (text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  test("an inner element is well-formed on its own: it declares inherited namespaces", () => {
    const inner = parseXml('<p:a xmlns:p="u" xmlns="d"><b p:c="1"><c xmlns=""/></b></p:a>').documentElement?.childNodes[0] as XmlNode;
    expect(serializeXml(inner)).toBe('<b p:c="1" xmlns="d" xmlns:p="u"><c xmlns=""/></b>');
    expect(inner.namespaceURI).toBe("d");
    expect(inner.attributes[0]?.namespaceURI).toBe("u");
  });

  test("pretty-printing does not change text content", () => {
    expect(serializeXml(parseXml("<a><b>1</b> <c>x<d/>y</c></a>"), { indent: 2 })).toBe("<a>\n  <b>1</b>\n  <c>x<d/>y</c>\n</a>");
  });
});

describe("invalid and malicious documents", () => {
  test.each([
    ["", "root element is missing"],
    ["text", "text outside the root element (line 1, column 1)"],
    ["<a>", "<a> is never closed"],
    ["<a><b></a>", "expected </b>, found </a> (line 1, column 7)"],
    ["<a/><b/>", "a second root element"],
    ["</a>", "</a> has no start tag"],
    ["<a x=1/>", "is not quoted"],
    ["<a x/>", "attribute x has no value"],
    ["<a x='1'y='2'/>", "whitespace is missing"],
    ["<a x='1' x='2'/>", "attribute x is duplicated"],
    ["<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", "is duplicated"],
    ["<a x='<'/>", "contains <"],
    ["<a>&nbsp;</a>", "unknown entity &nbsp;"],
    ["<a>x & y</a>", "& must be written as &amp;"],
    ["<a>&#0;</a>", "unknown entity &#0;"],
    ["<a>&#xD800;</a>", "unknown entity"],
    ["<a>\u0001</a>", "a character that XML does not allow"],
    ["<p:a/>", "prefix of 'p:a' is not declared"],
    ["<a>]]></a>", "]]> outside CDATA"],
    ["<a><!-- -- --></a>", "must not contain --"],
    ["<a>\n\n  <1/></a>", "expected a name (line 3, column 4)"],
    ["<a><?xml version='1.0'?></a>", "only allowed at the very beginning"],
    ["<?xml &x; version='1.0'?><a/>", "the XML declaration is invalid"],
    ["<?xml encoding='UTF-8'?><a/>", "the XML declaration is invalid"],
    ["<?xml version='1.0' standalone='maybe'?><a/>", "the XML declaration is invalid"],
    ["<a><?p:i x?></a>", "must not contain a colon"],
    ["\u00a0<a/>", "text outside the root element (line 1, column 1)"],
    [" \ufeff<a/>", "text outside the root element (line 1, column 2)"],
    ["<a", "is not closed with >"],
    ["<a xmlns:xml='u'/>", "has an invalid declaration"],
  ])("%j: %s", (text, message) => {
    expect(() => parseXml(text)).toThrowError(
      expect.objectContaining({
        code: "invalid-xml",
        message: expect.stringContaining(message),
        details: { clientFault: true },
      }),
    );
  });

  test.each([
    '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1/">]><a>&x;</a>',
    `<!DOCTYPE lolz [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, level) => `<!ENTITY a${level} "${"&a;".repeat(10)}">`).join("")}]><lolz>&a8;</lolz>`,
    "<!doctype html><html/>",
  ])("a DOCTYPE is rejected before entities are expanded: %#", (text) => {
    expect(() => parseXml(text)).toThrowError(expect.objectContaining({ code: "xml-doctype" }));
  });

  test("XInclude is an ordinary element", () => {
    expect(rewritten('<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd"/></a>')).toContain(
      '<xi:include href="file:///etc/passwd"/>',
    );
  });

  test("depth, nodes, attributes and size are bounded", () => {
    const deep = (depth: number): string => "<a>".repeat(depth) + "</a>".repeat(depth);
    expect(rewritten(deep(xmlLimits.maxDepth)).length).toBeGreaterThan(0);
    expect(() => parseXml(deep(xmlLimits.maxDepth + 1))).toThrowError(expect.objectContaining({ code: "limit-xml" }));
    expect(() => parseXml("<a>".repeat(1_000_000))).toThrowError(/nested deeper/);
    expect(() => parseXml(`<a>${"<b/>".repeat(50)}</a>`, { ...xmlLimits, maxNodes: 50 })).toThrowError(/more than 50 nodes/);
    expect(() => parseXml(`<a ${Array.from({ length: 1001 }, (_, index) => `a${index}=''`).join(" ")}/>`)).toThrowError(/more than 1000 attributes/);
    expect(() => parseXml("<a>xxxx</a>", { ...xmlLimits, maxCharacters: 10 })).toThrowError(/11 characters, more than the 10 allowed/);
  });
});

test("parseXml and a general DOM parser agree on well-formedness and content", () => {
  const name = fc.constantFrom("a", "b", "p:c", "long-name.1");
  const text = fc.string({ maxLength: 8 }).map((value) => value.replaceAll(/[&<>]/g, "&amp;"));
  const { element } = fc.letrec<{ element: string }>((tie) => ({
    element: fc
      .tuple(
        name,
        fc.option(text),
        fc.array(fc.oneof({ maxDepth: 3 }, text, tie("element"), fc.constantFrom("<!--c-->", "<![CDATA[<x>]]>", "<?p i?>", "&#x41;")), { maxLength: 4 }),
      )
      .map(([tag, attribute, children]) => `<${tag}${attribute === null ? "" : ` x="${attribute.replaceAll('"', "&quot;")}"`}>${children.join("")}</${tag}>`),
  }));
  fc.assert(
    fc.property(element, fc.integer({ min: 0, max: 200 }), fc.boolean(), (inner, cut, damage) => {
      const complete = `<r xmlns:p="u">${inner}</r>`;
      const xml = damage ? complete.slice(0, cut) + complete.slice(cut + 1) : complete;
      let expected: string | undefined;
      try {
        expected = slimdom.serializeToWellFormedString(withoutSections(slimdom.parseXmlDocument(xml)));
      } catch {
        expect(() => parseXml(xml)).toThrow();
        return;
      }
      expect(rewritten(rewritten(xml))).toBe(rewritten(xml));
      expect(normalize(rewritten(xml))).toBe(normalize(expected));
    }),
    { numRuns: 300 },
  );
});

/** Replaces CDATA sections with text nodes, because parseXml does not distinguish them. */
function withoutSections(document: slimdom.Document, node: slimdom.Node = document): slimdom.Document {
  for (const child of [...node.childNodes]) {
    if (child.nodeType === slimdom.Node.CDATA_SECTION_NODE) node.replaceChild(document.createTextNode((child as slimdom.CDATASection).data), child);
    else withoutSections(document, child);
  }
  return document;
}

const normalize = (xml: string): string => xml.replaceAll("&#xD;", "&#13;").replaceAll("&#x9;", "&#9;").replaceAll("&#xA;", "&#10;").replaceAll(" ?>", "?>");

describe("namespaces", () => {
  test("the scope of an element's declarations ends with it", () => {
    const root = parseXml(`<a xmlns="u" xmlns:p="1"><b xmlns="" xmlns:p="2"><p:c/></b><p:d/><e xmlns:p="3"/><p:f xmlns:p="4"><p:g/></p:f><h/></a>`)
      .documentElement as XmlNode;
    const uris = (node: XmlNode): unknown[] => [node.localName, node.namespaceURI, ...node.childNodes.map(uris)];
    expect(uris(root)).toEqual(["a", "u", ["b", null, ["c", "2"]], ["d", "1"], ["e", "u"], ["f", "4", ["g", "4"]], ["h", "u"]]);
    expect(root.childNodes.map((child) => serializeXml(child))).toEqual([
      '<b xmlns="" xmlns:p="2"><p:c/></b>',
      '<p:d xmlns:p="1"/>',
      '<e xmlns:p="3" xmlns="u"/>',
      '<p:f xmlns:p="4"><p:g/></p:f>',
      '<h xmlns="u"/>',
    ]);
    for (const text of ["<a><b xmlns:p='1'/><p:c/></a>", "<a><b xmlns:p='1'></b><p:c/></a>", "<a><toString:b/></a>"])
      expect(() => parseXml(text)).toThrowError(/is not declared/);
  });
});

describe("reading a message's value", () => {
  test("the same bytes and the same text are parsed once", () => {
    const bytes = new TextEncoder().encode("<a/>");
    expect(readXml(bytes)).toBe(readXml(bytes));
    expect(readXml("<only-here/>")).toBe(readXml("<only-here/>"));
  });

  test("bytes are read in the encoding they declare", () => {
    expect(
      readXml(Uint8Array.from(Array.from("<?xml version='1.0' encoding='ISO-8859-1'?><a>\u00e9</a>", (character) => character.charCodeAt(0)))).textContent,
    ).toBe("é");
    expect(decodeXml(Uint8Array.from([0xff, 0xfe, 0x3c, 0, 0x61, 0, 0x2f, 0, 0x3e, 0]))).toBe("<a/>");
    expect(() => readXml(Uint8Array.from([0x3c, 0x61, 0xff, 0x3e]))).toThrowError(/cannot be read as utf-8/);
    expect(() => readXml(new TextEncoder().encode("<?xml version='1.0' encoding='klingon'?><a/>"))).toThrowError(/cannot be read as klingon/);
  });

  test("an empty value is reported as empty", () => {
    expect(() => readXml(null)).toThrowError(/the value is empty and cannot be parsed as XML/);
    expect(() => readXml("  ")).toThrowError(/the value is empty and cannot be parsed as XML/);
  });
});

describe("plain objects", () => {
  const object = (xml: string): unknown => elementToObject(parseXml(xml).documentElement as XmlNode);
  const written = (name: string, value: unknown): string => {
    const writing = new XmlWriter({ shape: plainShape });
    for (const _step of writing.steps(name, value));
    return writing.text();
  };

  test("attributes, text, lists and empty elements are read into one object", () => {
    expect(object('<o id="7"><line>1</line><line n="2">x</line><empty/><t>a</t></o>')).toEqual({
      "@id": "7",
      line: ["1", { "@n": "2", "#text": "x" }],
      empty: null,
      t: "a",
    });
    expect(object("<o>text</o>")).toBe("text");
  });

  test("a child named __proto__ is data", () => {
    const parsed = object("<o><__proto__><polluted>1</polluted></__proto__></o>") as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("parsed XML can be written back", () => {
    const xml = '<o id="7"><line>1</line><line n="&lt;2&quot;">x &amp; y</line><empty/></o>';
    expect(written("o", object(xml))).toBe(xml);
  });

  test("a key that is not an XML name is rejected with an error that names it", () => {
    expect(() => written("o", { "a b": 1 })).toThrowError(/'a b' cannot be the name/);
  });
});
