import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentText } from "../document-text.ts";
import { readTable } from "./read-table.ts";
import { tableWarnings } from "./table-warnings.ts";
import type { ValueTable } from "./value-table.ts";
import { matchesWildcard } from "./wildcard.ts";

const units = {
  name: "Units of measure",
  onMissing: "error",
  match: "exact",
  columns: [{ id: "shop", agency: "SHOP", identifier: "unit" }, { id: "sap", agency: "SAP", identifier: "MEINS", default: "ST" }, "edi"],
  rows: [
    ["piece", "ST", "PCE"],
    ["box", "KAR", "CT"],
    ["each", "ST", null],
  ],
};

function table(document: unknown, id = "uom"): ValueTable {
  const { table: read, problems } = readTable(id, document);
  expect(problems).toEqual([]);
  return read as ValueTable;
}

const problemsOf = (document: unknown): readonly string[] =>
  readTable("t", document).problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));

it("too many patterns are rejected before the first is compiled", () => {
  const rows = Array.from({ length: 10_001 }, (_, index) => [`(${index}`, "x"]);
  expect(problemsOf({ match: "regex", columns: ["a", "b"], rows })).toEqual(["columns[0]: column 'a' has 10001 patterns, more than the 10000 allowed"]);
});

it("only cells with * or ? count as wildcard patterns", () => {
  const rows = Array.from({ length: 10_001 }, (_, index) => [`(${index}.$`, "x"]);
  expect(problemsOf({ match: "wildcard", columns: ["a", { id: "b", match: "exact" }], rows })).toEqual([]);
});

describe("lookups", () => {
  it("work from any column to any column; the first row wins", () => {
    const uom = table(units);
    expect([uom.find("shop", "sap", "box"), uom.find("sap", "shop", "ST"), uom.find("edi", "shop", "CT"), uom.find("sap", "edi", "ST")]).toEqual([
      "KAR",
      "piece",
      "box",
      "PCE",
    ]);
    expect(uom.find("SHOP|unit", "SAP|MEINS", "piece")).toBe("ST");
  });

  it("treat null as no value in that column", () => {
    expect(() => table(units).find("shop", "edi", "each")).toThrow(`no entry for "each" in value-mapping table 'uom' (shop -> edi)`);
  });

  it.each([
    ["error", undefined],
    ["key", "crate"],
    ["null", null],
    ["default", "ST"],
  ] as const)("without an entry, %s", (onMissing, expected) => {
    const lookup = () => table(units).find("shop", "sap", "crate", onMissing);
    if (onMissing === "error")
      expect(lookup).toThrow(expect.objectContaining({ message: `no entry for "crate" in value-mapping table 'uom' (shop -> sap)`, code: "lookup-missing" }));
    else expect(lookup()).toBe(expected);
    if (onMissing !== "error") expect(table({ ...units, onMissing }).find("shop", "sap", "crate")).toBe(expected);
  });

  it("show a key that is an object in the error", () => {
    expect(() => table(units).find("shop", "sap", { unit: "box" })).toThrow(String.raw`no entry for "{\"unit\":\"box\"}" in value-mapping table 'uom'`);
  });

  it("treat a surrogate pair as one character", () => {
    const emoji = table({
      match: "wildcard",
      onMissing: "null",
      columns: ["a", "b"],
      rows: [
        ["?", "one"],
        ["?-?", "two"],
        ["*", "many"],
      ],
    });
    expect(["😀", "😀-a", "😀😀", "a"].map((key) => emoji.find("a", "b", key))).toEqual(["one", "two", "many", "one"]);
  });

  it("report a missing default", () => {
    expect(() => table(units).find("sap", "shop", "X", "default")).toThrow(
      "no entry for \"X\" in value-mapping table 'uom' (sap -> shop), and column 'shop' has no default",
    );
  });

  it("report an unknown column and list the existing ones", () => {
    expect(() => table(units).find("shop", "nosuch", "box")).toThrow("value-mapping table 'uom' has no column 'nosuch': it has shop, sap, edi");
  });

  it.each([
    ["ignoreCase", "PIECE", "ST"],
    ["exact", "PIECE", undefined],
  ])("match %s", (match, key, expected) => {
    expect(
      table({ ...units, match })
        .direction(["shop"], "sap")
        .find(key),
    ).toBe(expected);
  });

  it("match wildcards and regular expressions; the first matching row wins", () => {
    const rows = [
      ["KB-1", "exact"],
      ["KB-*", "keyboard"],
      ["KB-2", "hidden"],
      ["M?-7", "mouse"],
      ["*", "other"],
    ];
    const wild = table({ columns: [{ id: "sku", match: "wildcard" }, "kind"], rows });
    expect(["KB-1", "KB-2", "MS-7", "MSS-7", ""].map((sku) => wild.find("sku", "kind", sku))).toEqual(["exact", "keyboard", "mouse", "other", "other"]);
    const regex = table({
      match: "regex",
      columns: ["sku", "kind"],
      rows: [
        ["KB-\\d+", "keyboard"],
        ["plain", "p"],
      ],
    });
    expect([
      regex.find("sku", "kind", "KB-77"),
      regex.find("sku", "kind", "plain"),
      regex.find("sku", "kind", "xKB-77", "null"),
      regex.find("kind", "sku", "p"),
    ]).toEqual(["keyboard", "p", null, "plain"]);
  });

  it("accept composite keys and compare each part separately", () => {
    const plants = table({
      columns: ["co", "unit", "werk"],
      rows: [
        ["1", "12", "A"],
        ["11", "2", "B"],
        ["1", null, "C"],
      ],
    });
    const direction = plants.direction(["co", "unit"], "werk");
    expect([direction.find(["1", "12"]), direction.find(["11", 2]), direction.find(["1", "2"]), direction.find(["1", null])]).toEqual([
      "A",
      "B",
      undefined,
      undefined,
    ]);
  });

  it("compare keys as text and return values unchanged", () => {
    const numbers = table({ entries: { "1": 10, true: false } });
    expect([numbers.find("from", "to", 1), numbers.find("from", "to", "1"), numbers.find("from", "to", true), numbers.find("to", "from", 10)]).toEqual([
      10,
      10,
      false,
      "1",
    ]);
  });

  it("do not confuse inherited names with keys", () => {
    const odd = table(JSON.parse('{"entries":{"__proto__":"p","constructor":"c"}}'));
    expect([odd.find("from", "to", "__proto__"), odd.find("from", "to", "toString", "null")]).toEqual(["p", null]);
    expect(({} as Record<string, unknown>)["p"]).toBeUndefined();
  });

  it("give the same result as a linear search of the rows", () => {
    const cell = fc.oneof(fc.constantFrom("a", "b", "A", "*", "a*"), fc.constant(null));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { maxLength: 8 }),
        fc.constantFrom("a", "b", "A", "ab", "*"),
        fc.constantFrom("exact", "ignoreCase", "wildcard"),
        (rows, key, match) => {
          const expected = rows.find(([from, to]) => {
            if (from === null || to === null) return false;
            return match === "exact" ? from === key : match === "ignoreCase" ? from.toLowerCase() === key.toLowerCase() : matchesWildcard(from, key);
          })?.[1];
          expect(
            table({ match, columns: ["x", "y"], rows })
              .direction(["x"], "y")
              .find(key),
          ).toBe(expected);
        },
      ),
    );
  });
});

describe("short form", () => {
  it("has the columns from and to, and applies its default", () => {
    const short = table({ entries: { piece: "ST", box: "KAR" }, default: "ST" });
    expect([short.columnIds, short.find("from", "to", "box"), short.find("from", "to", "crate")]).toEqual([["from", "to"], "KAR", "ST"]);
    expect(() => table({ entries: { a: "b" }, default: "x", onMissing: "error" }).find("from", "to", "c")).toThrow("no entry");
  });
});

describe("invalid tables", () => {
  it.each([
    [[], ["a table must be an object with 'columns' and 'rows', or with 'entries'"]],
    [{ columns: ["a"], rows: [] }, ["columns: expected a list of at least two columns"]],
    [{ columns: ["a", "a"], rows: [] }, ["columns[1]: duplicate column 'a'"]],
    [
      { columns: ["a", "b"], rows: [["1"], "x", [{}, 1]] },
      [
        "rows[0]: expected 2 cells, got 1",
        "rows[1]: expected a list of cells",
        "rows[2][0]: expected a string of up to 10000 characters, a number, true, false or null",
      ],
    ],
    [{ columns: ["a", "b"], rows: [], onMising: "key" }, ["unknown property 'onMising' (did you mean 'onMissing'?)"]],
    [{ columns: ["a", "b"], rows: [], onMissing: "fail" }, ['onMissing: expected one of error, key, null, default, got "fail"']],
    [{ entries: [] }, ["entries: expected an object of keys and values"]],
    [{ match: "regex", columns: ["a", "b"], rows: [["(", "x"]] }, ["rows[0][0]: the regular expression '(' is invalid: missing closing ): `(`"]],
    [
      { match: "regex", columns: ["a", "b"], rows: [["(?=x)", "x"]] },
      ["rows[0][0]: the regular expression '(?=x)' is invalid: (?=…) is not supported, because look-around and atomic groups cannot be matched in linear time"],
    ],
  ])("%j is rejected", (document, expected) => {
    expect(problemsOf(document)).toEqual(expected);
  });
});

describe("warnings", () => {
  it("list values that appear in several rows", () => {
    expect(tableWarnings(table(units).content)).toEqual(["sap 'ST' maps back to 'piece' (rows 1, 3)"]);
    const withNull = (...values: readonly unknown[]): readonly string[] =>
      tableWarnings(table({ columns: ["a", "b"], rows: values.map((value) => ["x", value]) }).content);
    expect(withNull(null, 1)).toEqual([]);
    expect(withNull(null, 1, 1)).toEqual([]);
    expect(withNull(null, 1, null, 2)).toEqual(["a 'x' maps to '1' (rows 1, 2, 3, 4)"]);
    expect(
      tableWarnings(
        table({
          columns: ["a", "b"],
          rows: [
            ["x", 1],
            ["x", 2],
            ["x", 1],
          ],
        }).content,
      ),
    ).toEqual(["a 'x' maps to '1' (rows 1, 2, 3)"]);
    expect(
      tableWarnings(
        table({
          columns: ["a", "b"],
          rows: [
            ["x", 1],
            ["x", 1],
          ],
        }).content,
      ),
    ).toEqual([]);
  });

  it("list values that a column treats as equal ignoring case", () => {
    const rows = [
      ["Ab", "1"],
      ["aB", "2"],
    ];
    expect(tableWarnings(table({ columns: [{ id: "a", match: "ignoreCase" }, "b"], rows }).content)).toEqual(["a 'Ab' maps to '1' (rows 1, 2)"]);
    expect(tableWarnings(table({ columns: ["a", "b"], rows }).content)).toEqual([]);
  });

  it("stop after twenty", () => {
    const rows = Array.from({ length: 60 }, (_, index) => [`k${index % 30}`, index]);
    const warnings = tableWarnings(table({ columns: ["a", "b"], rows }).content);
    expect([warnings.length, warnings.at(-1)]).toEqual([21, "10 more values appear in several rows"]);
  });
});

it("a table is written with one row per line and read back the same", () => {
  expect(documentText(units)).toContain('\n    ["box","KAR","CT"],\n');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(documentText(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
