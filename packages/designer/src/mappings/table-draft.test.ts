import { describe, expect, it } from "vitest";
import { checkTable, lookUp } from "./table-check.ts";
import {
  addColumn,
  cellOf,
  parseCells,
  documentOf,
  draftOf,
  emptyTable,
  findRows,
  mergeRows,
  pasteCells,
  removeColumn,
  setCell,
  type TableDraft,
} from "./table-draft.ts";
import { fileOfTable, tableOfFile } from "./table-file.ts";
import { openTable } from "./open-table.ts";

const units: TableDraft = openTable("uom", {
  name: "Units",
  onMissing: "error",
  columns: [{ id: "shop", agency: "SHOP", identifier: "unit" }, { id: "sap", default: "ST" }, "edi"],
  rows: [
    ["piece", "ST", "PCE"],
    ["box", "KAR", "CT"],
    ["each", "ST", null],
  ],
}).draft;

describe("editing a table", () => {
  it("restores the document it was opened from", () => {
    expect(documentOf(units)).toEqual({
      name: "Units",
      onMissing: "error",
      match: "exact",
      columns: [{ id: "shop", agency: "SHOP", identifier: "unit" }, { id: "sap", default: "ST" }, "edi"],
      rows: [
        ["piece", "ST", "PCE"],
        ["box", "KAR", "CT"],
        ["each", "ST", null],
      ],
    });
  });

  it("opens the short form as a table with the columns 'from' and 'to'", () => {
    const { draft } = openTable("t", { entries: { a: "1", b: "2" }, default: "0", match: "ignoreCase" });
    const { table } = checkTable("t", draft);
    expect(table?.find("from", "to", "A")).toBe("1");
    expect(table?.find("from", "to", "c")).toBe("0");
  });

  it("keeps the type of an edited value, and treats empty input as no value", () => {
    expect(cellOf("7", 1)).toBe(7);
    expect(cellOf("07", 1)).toBe("07");
    expect(cellOf("7", "1")).toBe("7");
    expect(cellOf("false", true)).toBe(false);
    expect(cellOf("", "x")).toBeNull();
  });

  it("pastes a copied range and extends the grid in both directions", () => {
    const cells = parseCells('kilo\tKG\tKGM\tq\r\n"a\tb"\t"say ""x"""\t\tr\r\n');
    expect(cells).toEqual([
      ["kilo", "KG", "KGM", "q"],
      ["a\tb", 'say "x"', null, "r"],
    ]);
    const pasted = pasteCells(units, 2, 0, cells ?? []);
    expect(pasted.columns.map(({ id }) => id)).toEqual(["shop", "sap", "edi", "column-4"]);
    expect(pasted.rows).toEqual([
      ["piece", "ST", "PCE", null],
      ["box", "KAR", "CT", null],
      ["kilo", "KG", "KGM", "q"],
      ["a\tb", 'say "x"', null, "r"],
    ]);
  });

  it("distinguishes single values, lists and lines with commas", () => {
    expect(parseCells("one value, with a comma")).toBeUndefined();
    expect(parseCells("a\nb\n")).toEqual([["a"], ["b"]]);
    expect(parseCells("a,1\nb,2")).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
    expect(parseCells('"never closed\tx\ny\tz')).toEqual([
      ['"never closed', "x"],
      ["y", "z"],
    ]);
  });

  it("adds imported rows by column name and keeps existing rows", () => {
    const merged = mergeRows(units, tableOfFile("SAP;color;Shop\nM;red;meter\n"));
    expect(merged.columns.map(({ id }) => id)).toEqual(["shop", "sap", "edi", "color"]);
    expect(merged.rows.at(-1)).toEqual(["meter", "M", null, "red"]);
    expect(merged.rows).toHaveLength(4);
  });

  it.each(["csv", "xml", "json"] as const)("reads the %s file that it has written", (form) => {
    const reread = tableOfFile(fileOfTable(units, form).text);
    expect(reread.rows).toEqual(units.rows.map((row) => [...row]));
  });

  it("reports why a file is not a table", () => {
    expect(() => tableOfFile("only one column\nx\n")).toThrow("columns: expected a list of at least two columns");
    expect(() => tableOfFile("<other/>")).toThrow("expected the root element <vm>");
  });

  it("finds rows by any cell, and removes columns with their cells", () => {
    expect(findRows(units, "  kar ")).toEqual([1]);
    expect(findRows(units, "")).toEqual([0, 1, 2]);
    expect(removeColumn(addColumn(units), 0).rows[0]).toEqual(["ST", "PCE", null]);
  });

  it("looks up values in every direction and reports ambiguous rows", () => {
    const { table, warnings } = checkTable("uom", units);
    if (table === undefined) throw new Error("the table is rejected");
    expect(lookUp(table, "edi", "sap", "CT")).toEqual({ value: "KAR" });
    expect(lookUp(table, "shop", "sap", "crate")).toEqual({ error: `no entry for "crate" in value-mapping table 'uom' (shop -> sap)` });
    expect(warnings).toEqual(["sap 'ST' maps back to 'piece' (rows 1, 3)"]);
  });

  it("numbers rows as in the grid, including blank ones, which are not saved", () => {
    const blank = {
      ...emptyTable,
      columns: emptyTable.columns,
      rows: [
        [null, null],
        ["a", "1"],
        ["a", "2"],
      ],
    };
    expect(checkTable("t", blank).warnings).toEqual(["from 'a' maps to '1' (rows 2, 3)"]);
    expect(documentOf(blank)["rows"]).toEqual([
      ["a", "1"],
      ["a", "2"],
    ]);
    expect(documentOf(setCell(blank, 1, 1, ""))["rows"]).toEqual([
      ["a", null],
      ["a", "2"],
    ]);
  });

  it("reports why a table cannot be shown, and shows a missing name as empty text", () => {
    expect(openTable("t", { columns: ["a"], rows: [] }).problem).toBe("columns: expected a list of at least two columns");
    expect(draftOf({ name: undefined, onMissing: "key", match: "regex", columns: [], rows: [] }).name).toBe("");
  });
});
