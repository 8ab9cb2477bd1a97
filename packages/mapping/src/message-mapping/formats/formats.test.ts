import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentText } from "../../document-text.ts";
import { jsonRules, problemsOf, runMapping } from "../mapping-under-test.test-support.ts";
import { createFormat } from "./index.ts";
import type { MessageFormat } from "./message-format.ts";

function format(side: unknown): MessageFormat {
  const problems: string[] = [];
  const created = createFormat(side, (path, message) => problems.push(`${path}: ${message}`));
  expect(problems).toEqual([]);
  return created;
}

describe("json", () => {
  it("keeps integers that a double cannot represent", () => {
    const document = jsonRules(
      { to: "id", from: "id" },
      { to: "integer", from: "id", type: "integer" },
      { to: "text", expr: "id + ''" },
      { to: "same", expr: "id == '12345678901234567890'" },
      { to: "is", expr: "isNumber(id)" },
    );
    const { output } = runMapping(document, new TextEncoder().encode('{"id": 12345678901234567890, "small": 1}'));
    expect(output).toEqual({ id: 12345678901234567890n, integer: 12345678901234567890n, text: "12345678901234567890", same: true, is: true });
    expect(documentText(output)).toContain('"id": 12345678901234567890,');
    expect(runMapping(jsonRules({ to: "d", from: "id", type: "boolean" }), '{"id": 12345678901234567890}').errors[0]).toMatchObject({
      message: "d: expected true or false, got 12345678901234567890 [source id]",
      value: "12345678901234567890",
    });
    expect(runMapping(jsonRules(), `[${"9".repeat(2000)}]`).errors[0]?.message).toBe("an integer in the source has more than 1000 digits");
  });
});

describe("xml", () => {
  const namespaces = { a: "urn:a", "": "urn:default" };

  it("reads attributes, text, lists and CDATA, with the prefixes of the document", () => {
    const xml = `<?xml version="1.0"?><!-- c --><r xmlns="urn:default" xmlns:x="urn:a" id="1"><x:n t="u">5</x:n><l>1</l><l/><e><![CDATA[<&]]></e> <x:n>6</x:n></r>`;
    expect(format({ format: "xml", root: "r", namespaces }).read(xml)).toEqual({
      "@id": "1",
      "a:n": [{ "@t": "u", "#text": "5" }, "6"],
      l: ["1", ""],
      e: "<&",
    });
  });

  it("uses the text of an element with attributes where one value is expected", () => {
    const document = {
      source: { format: "xml" },
      target: { format: "json" },
      map: [
        { to: "q", from: "q", type: "integer" },
        { to: "s", expr: "q + '!'" },
        { to: "u", from: "q.@unit" },
        { to: "t", from: "q.#text" },
        { to: "plain", from: "p.#text" },
        { to: "raw", from: "q" },
        { to: "first", from: "p" },
        { to: "x", from: "x" },
      ],
    };
    expect(runMapping(document, '<r><q unit="ST">5</q><p>1</p><x><y k="v">2</y></x></r>').output).toEqual({
      q: 5,
      s: "5!",
      u: "ST",
      t: "5",
      plain: "1",
      raw: "5",
      first: "1",
      x: { y: { "@k": "v", "#text": "2" } },
    });
  });

  it("treats an element without text as empty text, whatever its attributes", () => {
    const document = {
      source: { format: "xml", namespaces: { xsi: "urn:xsi" } },
      target: { format: "json" },
      map: [
        { to: "integer", from: "q", type: "integer", default: 0 },
        { to: "date", from: "nil", type: "date" },
        { to: "text", from: "q", type: "string" },
        { to: "number", expr: "number(q)" },
        { to: "joined", expr: "'<' + q + '>'" },
        { to: "empty", expr: "empty(q)" },
        { to: "there", expr: "q ? exists(q) : false" },
        { to: "whole", from: "q" },
        { to: "nested", from: "x" },
        { to: "lang", from: "t.@xml:lang" },
      ],
    };
    const xml = `<r xmlns:xsi="urn:xsi"><q unit="ST"/><nil xsi:nil="true"></nil><x><y k="v"/></x><t xml:lang="de">a</t></r>`;
    expect(runMapping(document, xml).output).toEqual({
      integer: 0,
      date: null,
      text: "",
      number: null,
      joined: "<>",
      empty: true,
      there: true,
      whole: { "@unit": "ST" },
      nested: { y: { "@k": "v" } },
      lang: "de",
    });
    expect(
      runMapping(jsonRules({ to: "groups[]", forEach: "l", groupBy: "by", from: "n" }), {
        l: [
          { by: { "@id": 1 }, n: 1 },
          { by: { "@id": 2 }, n: 2 },
        ],
      }).output,
    ).toEqual({
      groups: [1, 2],
    });
  });

  it("declares a prefix once, preferring the root's own declaration", () => {
    const xml = format({ format: "xml", root: "a:r", namespaces: { a: "urn:a", "": "urn:d" }, declaration: false });
    expect(xml.write({ "@xmlns:a": "urn:b", "@xmlns": null, "a:x": 1 })).toBe('<a:r xmlns="urn:d" xmlns:a="urn:b"><a:x>1</a:x></a:r>');
  });

  it("reads back any tree it writes", () => {
    const xml = format({ format: "xml", root: "r", namespaces: { n: "urn:n" } });
    const name = fc.constantFrom("a", "n:b", "c-d", "é", "toString", "__proto__");
    const text = fc.string({ unit: fc.constantFrom("a", "<", "&", "]]>", "\n", "\r", "😀"), minLength: 1 }).map((value) => `x${value}x`);
    const { element } = fc.letrec<{ element: unknown }>((tie) => ({
      element: fc.oneof(
        { maxDepth: 3 },
        text,
        fc
          .tuple(
            fc.dictionary(name, text, { maxKeys: 2 }),
            fc.dictionary(name, fc.oneof(tie("element"), fc.array(tie("element"), { minLength: 2, maxLength: 3 })), { minKeys: 1, maxKeys: 3 }),
          )
          .map(([attributes, children]) =>
            Object.fromEntries([...Object.entries(attributes).map(([key, value]) => [`@${key}`, value]), ...Object.entries(children)]),
          ),
      ),
    }));
    fc.assert(
      fc.property(element, (value) => {
        expect(xml.read(xml.write(value))).toEqual(value);
      }),
    );
  });

  it("writes attributes, text, repeated and empty elements, and reads them back", () => {
    const document = {
      source: { format: "json" },
      target: { format: "xml", root: "a:Order", namespaces: { a: "urn:a" } },
      map: [
        { to: "@id", from: "id" },
        { to: "a:Note", from: "note" },
        {
          to: "a:Line",
          forEach: "lines",
          map: [
            { to: "@no", expr: "$index + 1" },
            { to: "#text", from: "$item" },
          ],
        },
        { to: "a:Empty", value: null },
      ],
    };
    const { output } = runMapping(document, { id: 'x"1', note: "<a & b>", lines: ["k", "m"] });
    expect(output).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><a:Order xmlns:a="urn:a" id="x&quot;1"><a:Note>&lt;a &amp; b&gt;</a:Note><a:Line no="1">k</a:Line><a:Line no="2">m</a:Line><a:Empty/></a:Order>',
    );
    expect(format({ format: "xml", namespaces: { a: "urn:a" } }).read(output)).toEqual({
      "@id": 'x"1',
      "a:Note": "<a & b>",
      "a:Line": [
        { "@no": "1", "#text": "k" },
        { "@no": "2", "#text": "m" },
      ],
      "a:Empty": "",
    });
  });

  it("reads back any text it writes", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "<", "&", ">", '"', "'", "]", "\n", "\r", "\t", "é", "😀", " ") });
    const xml = format({ format: "xml", root: "r" });
    fc.assert(
      fc.property(text, text, (attribute, value) => {
        expect(xml.read(xml.write({ "@a": attribute, x: value }))).toEqual({ "@a": attribute, x: value });
      }),
    );
  });

  it.each([
    ["<a><b></a>", "not well-formed XML: expected </b>, found </a> (line 1, column 7)"],
    [
      '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>',
      "XML with a DOCTYPE is rejected (line 1, column 1): remove the declaration; entities and external files are never read",
    ],
    ["<a>&nbsp;</a>", "not well-formed XML: unknown entity &nbsp; (line 1, column 4)"],
    ["<a b=1/>", "not well-formed XML: the value of attribute b is not quoted (line 1, column 6)"],
    ["<a/><b/>", "not well-formed XML: a second root element (line 1, column 5)"],
    ["<x:a/>", "not well-formed XML: the namespace prefix of 'x:a' is not declared (line 1, column 1)"],
    ["text", "not well-formed XML: text outside the root element (line 1, column 1)"],
    ["<a>".repeat(600), "size limit: the XML is nested deeper than 500 elements"],
  ])("rejects %s", (text, message) => {
    expect(() => format({ format: "xml" }).read(text)).toThrow(message);
  });

  it("rejects an invalid name", () => {
    expect(runMapping({ source: { format: "json" }, target: { format: "xml", root: "r" }, map: [{ to: "a b", value: 1 }] }, {}).errors[0]?.message).toBe(
      "'a b' is not a valid XML name",
    );
  });
});

describe("csv", () => {
  it("reads quoted values, missing cells, configured columns and files without a header", () => {
    expect(format({ format: "csv" }).read('\ufeffa,b\r\n"x ""y"", z",\r\n\r\n1,2,3\n')).toEqual({
      rows: [
        { a: 'x "y", z', b: null },
        { a: "1", b: "2", c3: "3" },
      ],
    });
    expect(format({ format: "csv", columns: ["a", "b"], delimiter: "|" }).read("1|2")).toEqual({ rows: [{ a: "1", b: "2" }] });
    expect(format({ format: "csv", columns: ["a", "b"], header: true, delimiter: "\\t" }).read("X\tY\n1\t2")).toEqual({ rows: [{ a: "1", b: "2" }] });
    expect(format({ format: "csv", header: false }).read("1,2")).toEqual({ rows: [{ c1: "1", c2: "2" }] });
    expect(format({ format: "csv" }).read("c2,,c2,c5,c4_\n1,2,3,4,5,6\n7")).toEqual({
      rows: [
        { c2: "1", c2_: "2", c3: "3", c5: "4", c4_: "5", c6: "6" },
        { c2: "7", c2_: null, c3: null, c5: null, c4_: null },
      ],
    });
    expect(Object.keys((format({ format: "csv" }).read("__proto__\n1") as { rows: object[] }).rows[0] as object)).toEqual(["__proto__"]);
  });

  it("writes rows in the order of their columns", () => {
    const document = {
      source: { format: "json" },
      target: { format: "csv", delimiter: ";" },
      map: [
        {
          to: "rows[]",
          forEach: "l",
          map: [
            { to: "Sku", from: "s" },
            { to: "Qty", from: "q" },
          ],
        },
      ],
    };
    expect(runMapping(document, { l: [{ s: "a;b", q: 1 }, { s: "c" }] }).output).toBe('Sku;Qty\r\n"a;b";1\r\nc;\r\n');
    expect(format({ format: "csv", columns: ["b", "a"], lineBreak: "\n" }).write({ rows: [{ a: 1, b: "" }] })).toBe('"",1\n');
  });

  it("reads back what it writes", () => {
    const cell = fc.option(fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", " ") }), { nil: null });
    const delimiters = fc.constantFrom(",", ";", "\\t", "a", ",,", ",a", "aa,");
    fc.assert(
      fc.property(fc.array(fc.record({ x: cell, y: cell })), delimiters, fc.boolean(), (rows, delimiter, header) => {
        const csv = format({ format: "csv", columns: ["x", "y"], delimiter, header });
        expect(csv.read(csv.write({ rows }))).toEqual({ rows });
      }),
    );
  });
});

describe("fixed", () => {
  const orders = {
    format: "fixed",
    records: [
      {
        name: "head",
        match: "H",
        fields: [
          { name: "no", start: 2, length: 5, align: "right", pad: "0" },
          { name: "name", start: 7, length: 6 },
        ],
      },
      {
        name: "line",
        match: "L",
        fields: [
          { name: "sku", start: 2, length: 4 },
          { name: "qty", start: 6, length: 3, align: "right", pad: "0" },
        ],
      },
    ],
    loops: { head: ["line"] },
  };
  const text = "H00042Ada   \r\nLkb  002\r\nLms  000\r\nH00043      \r\n";
  const data = {
    head: [
      {
        no: "42",
        name: "Ada",
        line: [
          { sku: "kb", qty: "2" },
          { sku: "ms", qty: "0" },
        ],
      },
      { no: "43", name: null },
    ],
  };

  it("reads and writes lines of several kinds, nested", () => {
    expect(format(orders).read(text)).toEqual(data);
    expect(format(orders).write(data)).toBe(text);
    expect(() => format(orders).read("X")).toThrow("line 1 does not begin with any of: H, L");
  });

  it("reads and writes lines of one kind", () => {
    const single = format({ format: "fixed", fields: { a: { start: 1, length: 3 }, b: { start: 5, length: 2 } }, lineBreak: "\n" });
    expect(single.read("abc 12\nx\n")).toEqual({
      rows: [
        { a: "abc", b: "12" },
        { a: "x", b: null },
      ],
    });
    expect(single.write({ rows: [{ a: "x", b: 7 }] })).toBe("x   7 \n");
    expect(() => single.write({ rows: [{ a: "long" }] })).toThrow("line 1, field 'a': \"long\" is longer than the field (3 characters)");
  });

  it("reads back what it writes", () => {
    const fixed = format({
      format: "fixed",
      fields: [
        { name: "n", start: 9, length: 4, align: "right", pad: "0" },
        { name: "a", start: 1, length: 4 },
        { name: "b", start: 6, length: 3, align: "right" },
      ],
    });
    const text = (maxLength: number) => fc.string({ unit: fc.constantFrom("a", "é", "😀", "𐐨"), minLength: 1, maxLength });
    const row = fc.record({ n: fc.nat(9999).map(String), a: fc.option(text(4)), b: fc.option(text(3)) });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const lines = fixed.write({ rows }) as string;
        for (const line of lines.split("\r\n").slice(0, -1)) expect([...line]).toHaveLength(12);
        expect(fixed.read(lines)).toEqual({ rows });
      }),
    );
    expect(() => fixed.write({ rows: [{ n: 1 }, { n: "12345" }] })).toThrow("line 2, field 'n': \"12345\" is longer than the field (4 characters)");
  });

  it("requires fields with positions", () => {
    expect(problemsOf({ source: { format: "fixed", fields: [{ name: "a", start: 0, length: 1 }] }, target: { format: "fixed" }, map: [] })).toEqual([
      "source.fields[0]: expected a name, and start and length from 1 to 100000",
      "target: a fixed format needs 'fields', or 'records' whose entries each have name, match and fields",
    ]);
  });
});

describe("edi", () => {
  const loops = { LIN: ["QTY", "PRI", "LOC"], LOC: ["DTM"] };
  const order = "UNA:+.? 'UNH+1+ORDERS:D:96A:UN'BGM+220+A?+1'LIN+1++KB-1:SRV'QTY+21:2:PCE'LOC+7'DTM+2:20261114:102'LIN+2++MS-7:SRV'QTY+21:1'UNS+S'UNT+9+1'";

  it("reads EDIFACT with loops, release characters and composites", () => {
    expect(format({ format: "edi", loops }).read(order)).toEqual({
      UNH: { e1: "1", e2: { c1: "ORDERS", c2: "D", c3: "96A", c4: "UN" } },
      BGM: { e1: "220", e2: "A+1" },
      LIN: [
        {
          e1: "1",
          e3: { c1: "KB-1", c2: "SRV" },
          QTY: { e1: { c1: "21", c2: "2", c3: "PCE" } },
          LOC: [{ e1: "7", DTM: { e1: { c1: "2", c2: "20261114", c3: "102" } } }],
        },
        { e1: "2", e3: { c1: "MS-7", c2: "SRV" }, QTY: { e1: { c1: "21", c2: "1" } } },
      ],
      UNS: { e1: "S" },
      UNT: { e1: "9", e2: "1" },
    });
  });

  it("maps elements and components, single or repeated", () => {
    const document = {
      source: { format: "edi", dialect: "edifact", loops },
      target: { format: "json" },
      map: [
        { to: "no", from: "BGM.e2" },
        { to: "noc", from: "BGM.e2.c1" },
        {
          to: "lines[]",
          forEach: "LIN",
          map: [
            { to: "sku", from: "e3.c1" },
            { to: "qty", from: "QTY.e1.c2", type: "integer" },
            { to: "due", from: "LOC.DTM.e1.c2", type: "date" },
          ],
        },
      ],
    };
    expect(runMapping(document, order).output).toEqual({
      no: "A+1",
      noc: "A+1",
      lines: [
        { sku: "KB-1", qty: 2, due: "2026-11-14" },
        { sku: "MS-7", qty: 1 },
      ],
    });
    expect(runMapping(document, order.replace("21:1'", "21:x'")).errors[0]?.message).toBe('lines[1].qty: expected integer, got "x" [source LIN[1].QTY.e1.c2]');
  });

  it("writes segments in order, with release characters and the segment count", () => {
    const document = {
      source: { format: "json" },
      target: { format: "edi" },
      map: [
        {
          to: "UNH",
          map: [
            { to: "e1", value: "1" },
            { to: "e2.c1", value: "ORDERS" },
            { to: "e2.c2", value: "D" },
          ],
        },
        {
          to: "BGM",
          map: [
            { to: "e1", value: 220 },
            { to: "e3", from: "no" },
          ],
        },
        {
          to: "LIN",
          forEach: "l",
          map: [
            { to: "e1", expr: "$index + 1" },
            { to: "QTY.e1.c1", value: "21" },
            { to: "QTY.e1.c2", from: "q" },
          ],
        },
        { to: "UNT.e2", value: "1" },
      ],
    };
    expect(runMapping(document, { no: "a'b?c", l: [{ q: 2 }, { q: 3 }] }).output).toBe(
      "UNH+1+ORDERS:D'BGM+220++a?'b??c'LIN+1'QTY+21:2'LIN+2'QTY+21:3'UNT+7+1'",
    );
  });

  it("reads back what it writes", () => {
    const edi = format({ format: "edi" });
    const text = fc.string({ unit: fc.constantFrom("a", "'", "+", ":", "?", "*", " ", "é"), minLength: 1 }).filter((value) => value.trim() !== "");
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(edi.read(edi.write({ ABC: { e1: a, e3: { c1: b, c2: c } } }))).toEqual({ ABC: { e1: a, e3: { c1: b, c2: c } } });
      }),
    );
  });

  it("reads X12 with the separators of its ISA, and rejects values it cannot escape", () => {
    const isa = "ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *261114*0930*^*00501*000000001*0*P*>~";
    expect(isa).toHaveLength(106);
    expect(format({ format: "edi", dialect: "x12" }).read(`${isa}\nST*850*0001~\nPO1*1*2*EA*9.9**VP>X*A^B~\nSE*3*0001~`)).toMatchObject({
      ISA: { e16: ">" },
      ST: { e1: "850" },
      PO1: { e1: "1", e2: "2", e6: { c1: "VP", c2: "X" }, e7: ["A", "B"] },
    });
    expect(() => format({ format: "edi", dialect: "x12" }).write({ N1: { e1: "a*b" } })).toThrow(
      '"a*b" contains a separator, but the dialect cannot escape it',
    );
  });

  it("accepts other separators", () => {
    const custom = format({ format: "edi", dialect: { segment: "|", element: ",", component: "/" }, lineBreaks: true });
    expect(custom.read("A,1,2/3|B|")).toEqual({ A: { e1: "1", e2: { c1: "2", c2: "3" } }, B: {} });
    expect(custom.write({ A: { e2: { c2: "x" } }, B: [{}, {}] })).toBe("A,,/x|\nB|\nB|\n");
  });

  it.each([
    ["UNH+1", "the segment 'UNH+1' is not terminated: expected \"'\""],
    ["<a/>'", "'<a/>' is not a segment tag"],
  ])("rejects %s", (text, message) => {
    expect(() => format({ format: "edi" }).read(text)).toThrow(message);
  });
});
