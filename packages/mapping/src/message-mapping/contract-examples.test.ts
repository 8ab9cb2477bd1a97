import { describe, expect, it } from "vitest";
import { csvToOrders, invoiceToJson, orderTables, orderToOrder } from "./contract-examples.test-support.ts";
import { environmentOf, mappingOf, problemsOf, runMapping } from "./mapping-under-test.test-support.ts";

const environment = environmentOf(orderTables);

describe("example 1, order JSON to JSON", () => {
  it("produces the contract's output from data, text and bytes", () => {
    const text = JSON.stringify(orderToOrder.input);
    for (const body of [orderToOrder.input, text, new TextEncoder().encode(text)])
      expect(runMapping(orderToOrder.document, body, { environment })).toEqual({ output: orderToOrder.output, errors: [] });
    expect(Object.keys(runMapping(orderToOrder.document, text, { environment }).output as object)).toEqual(Object.keys(orderToOrder.output));
  });

  it("counts its fields and names its tables", () => {
    const { fields, uses, source, target } = mappingOf(orderToOrder.document, environment);
    expect({ fields, uses, source, target }).toEqual({ fields: 14, uses: ["uom", "country"], source: "json", target: "json" });
  });

  it("names the target and the source of a missing entry", () => {
    const input = structuredClone(orderToOrder.input);
    input.lines[0]!.unit = "crate";
    expect(runMapping(orderToOrder.document, input, { environment }).errors).toEqual([
      {
        field: "items[0].uom",
        rule: "map[6].map[3]",
        code: "lookup",
        message: `items[0].uom: no entry for "crate" in value-mapping table 'uom' (shop -> sap) [source lines[0].unit]`,
        source: "lines[0].unit",
        value: "crate",
      },
    ]);
    input.lines[0]!.unit = "piece";
    input.lines[2]!.unit = "crate";
    expect(runMapping(orderToOrder.document, input, { environment }).errors[0]?.message).toBe(
      `items[1].uom: no entry for "crate" in value-mapping table 'uom' (shop -> sap) [source lines[2].unit]`,
    );
  });

  it("rejects a test whose date is not valid", () => {
    const test = { input: orderToOrder.input, output: orderToOrder.output };
    const tests = [
      { ...test, now: "soon" },
      { ...test, now: 5 },
      { ...test, now: "2024-02-03T04:05:06Z" },
    ];
    const message = 'expected a date such as "2024-02-03T04:05:06Z"';
    expect(problemsOf({ ...orderToOrder.document, tests }, environment)).toEqual([`tests[0].now: ${message}`, `tests[1].now: ${message}`]);
  });

  it("rejects an unknown table and names the field that uses it", () => {
    const document = JSON.parse(JSON.stringify(orderToOrder.document).replace('"table":"uom"', '"table":"uomx"'));
    expect(problemsOf(document, environment)).toEqual(["items[].uom: unknown value-mapping table 'uomx'"]);
  });
});

describe("example 2, XML invoice to JSON", () => {
  it("produces the contract's output for any namespace prefix", () => {
    expect(runMapping(invoiceToJson.document, invoiceToJson.input)).toEqual({ output: invoiceToJson.output, errors: [] });
    expect(runMapping(invoiceToJson.document, invoiceToJson.input.replaceAll("inv:", "x:").replace("xmlns:inv", "xmlns:x"))).toEqual({
      output: invoiceToJson.output,
      errors: [],
    });
  });

  it("iterates over a single element as it does over several", () => {
    const withOneLine = invoiceToJson.input.replace(/<inv:Line no="2">.*<\/inv:Line>(?=<\/inv:Invoice>)/, "");
    expect(runMapping(invoiceToJson.document, withOneLine).output).toMatchObject({ lines: [{ no: 1, text: "Cable", net: 9 }], lineCount: 1 });
  });

  it("rejects another root element", () => {
    expect(runMapping(invoiceToJson.document, "<Order/>").errors[0]?.message).toBe("expected the root element <inv:Invoice>, got <Order>");
  });
});

describe("example 3, CSV to JSON", () => {
  it("produces the contract's output", () => {
    expect(runMapping(csvToOrders.document, csvToOrders.input)).toEqual({ output: csvToOrders.output, errors: [] });
  });

  it("names the target and the source of an invalid value", () => {
    const { errors } = runMapping(csvToOrders.document, csvToOrders.input.replace(/4$/, "x"));
    expect(errors[0]).toMatchObject({
      message: 'orders[1].items[0].qty: expected integer, got "x" [source rows[2].Qty]',
      code: "type",
      value: "x",
      source: "rows[2].Qty",
    });
  });
});
