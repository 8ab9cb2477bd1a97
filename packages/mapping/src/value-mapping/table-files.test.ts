import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTable } from "./read-table.ts";
import { tableFromCsv, tableToCsv } from "./table-csv.ts";
import { tableFromXml, tableToXml } from "./table-xml.ts";
import type { TableContent, ValueTable } from "./value-table.ts";

const read = (document: unknown): ValueTable => {
  const { table, problems } = readTable("t", document);
  expect(problems).toEqual([]);
  return table as ValueTable;
};

describe("CSV", () => {
  it("has column ids in its first line; an empty value is null, a quoted one is text", () => {
    expect(tableFromCsv('\ufeffshop,sap\r\npiece,ST\r\n"a ""b"", c",\r\nx,""\r\n')).toEqual({
      columns: ["shop", "sap"],
      rows: [
        ["piece", "ST"],
        ['a "b", c', null],
        ["x", ""],
      ],
    });
  });

  it("accepts SAP's AGENCY|identifier and semicolons", () => {
    const table = read(tableFromCsv("SHOP|unit;SAP|MEINS\npiece;ST\nbox"));
    expect([table.find("SHOP|unit", "SAP|MEINS", "piece"), table.content.columns[1]?.agency, table.content.rows[1]]).toEqual(["ST", "SAP", ["box", null]]);
  });

  it("names the line of an error", () => {
    expect(() => tableFromCsv('a,b\n"x')).toThrow("the CSV ends inside a quoted value (line 2)");
  });

  it("survives a round trip", () => {
    const cell = fc.option(fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", " ", "é") }), { nil: null });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 6 }), (rows) => {
        const expected = rows.filter((row) => row.some((value) => value !== null));
        const { content } = read({ columns: ["a", "b"], rows: expected });
        expect(tableFromCsv(tableToCsv(content))).toEqual({ columns: ["a", "b"], rows: expected });
      }),
    );
  });
});

const sap = `<?xml version="1.0" encoding="UTF-8"?>
<vm version="2.0">
  <group id="g1"><entry><agency>SHOP</agency><schema>unit</schema><value>each</value></entry><entry><agency>SAP</agency><schema>MEINS</schema><value>ST</value></entry></group>
  <group id="g2"><entry isDefault="true"><agency>SHOP</agency><schema>unit</schema><value>piece &amp; more</value></entry><entry><agency>SAP</agency><schema>MEINS</schema><value>ST</value></entry></group>
  <group id="g3"><entry><agency>SHOP</agency><schema>unit</schema><value>box</value></entry><entry isDefault="true"><agency>SHOP</agency><schema>unit</schema><value>carton</value></entry><entry><agency>SAP</agency><schema>MEINS</schema><value>KAR</value></entry></group>
</vm>`;

describe("SAP value_mapping.xml", () => {
  it("is read as rows: defaults first, one row for each value of a group", () => {
    const table = read(tableFromXml(sap));
    expect(table.content.rows).toEqual([
      ["piece & more", "ST"],
      ["carton", "KAR"],
      ["each", "ST"],
      ["box", "KAR"],
    ]);
    expect([table.find("SAP|MEINS", "SHOP|unit", "ST"), table.find("SAP|MEINS", "SHOP|unit", "KAR"), table.find("SHOP|unit", "SAP|MEINS", "box")]).toEqual([
      "piece & more",
      "carton",
      "KAR",
    ]);
  });

  it("is written so that it is read back the same", () => {
    const { content } = read(tableFromXml(sap));
    const readBack: TableContent = read(tableFromXml(tableToXml(content))).content;
    expect(readBack).toEqual(content);
    expect(tableToXml(content)).toContain('<entry isDefault="true"><agency>SAP</agency><schema>MEINS</schema><value>ST</value></entry>');
  });

  it("gives the same result for every lookup after a round trip", () => {
    const cell = fc.option(fc.constantFrom("x", "y", "1", "2", "<&>"), { nil: null });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 7 }), (arbitraryRows) => {
        const rows = [...arbitraryRows, ["all", "all", "all"]];
        const before = read({ columns: ["a", "b", "c"], onMissing: "null", rows });
        const after = read({ ...tableFromXml(tableToXml(before.content)), onMissing: "null" });
        for (const from of ["a", "b", "c"])
          for (const to of ["a", "b", "c"])
            for (const key of ["x", "y", "1", "2", "<&>"])
              expect([from, to, key, after.find(from, to, key)]).toEqual([from, to, key, before.find(from, to, key)]);
      }),
      { numRuns: 120 },
    );
  });

  it("rejects too many columns before it creates rows", () => {
    const group = (index: number) => `<group><entry><agency>a${index}</agency><schema>s</schema><value>v</value></entry></group>`;
    const text = `<vm>${Array.from({ length: 20_000 }, (_, index) => group(index)).join("")}</vm>`;
    expect(() => tableFromXml(text)).toThrow("size limit: the file has more than 100 pairs of agency and schema");
  });

  it.each([
    [
      '<!DOCTYPE vm [<!ENTITY x "y">]><vm/>',
      "XML with a DOCTYPE is rejected (line 1, column 1): remove the declaration; entities and external files are never read",
    ],
    ["<vm>\n<group>&x;</group></vm>", "not well-formed XML: unknown entity &x; (line 2, column 8)"],
    ["<vm><group></vm>", "not well-formed XML: expected </group>, found </vm> (line 1, column 12)"],
    ["<other/>", "expected the root element <vm>, got <other>"],
    ["<vm><group><entry><agency>A</agency></entry></group></vm>", "group 1 has an entry without <agency>, <schema> or <value>"],
    ["", "not well-formed XML: the root element is missing (line 1, column 1)"],
  ])("rejects %j", (text, message) => {
    expect(() => tableFromXml(text)).toThrow(message);
  });
});
