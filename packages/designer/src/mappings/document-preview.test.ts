import { readTable, type ValueTable } from "@sluice/mapping";
import { describe, expect, it } from "vitest";
import { previewDocument, readDocument, runDocumentTests, sampleOf, withTest } from "./document-preview.ts";
import { fieldList } from "./field-list.ts";
import { createLazyEnvironment } from "./mapping-environment.ts";
import { newDocumentText } from "./new-document.ts";

const uom = readTable("uom", { columns: ["shop", "sap"], rows: [["piece", "ST"]] }).table as ValueTable;
const environment = { tables: new Map([["uom", uom]]) };
const order = {
  source: { format: "json" },
  target: { format: "json" },
  onError: "all",
  map: [
    { to: "no", from: "id", required: true },
    { to: "items[]", forEach: "lines", map: [{ to: "unit", lookup: { table: "uom", key: "unit", from: "shop", to: "sap" } }] },
  ],
};

describe("editing a document", () => {
  it("shows the output for the sample", () => {
    const { output, errors, problems } = previewDocument(order, '{"id":"A","lines":[{"unit":"piece"}]}', environment, 0);
    expect({ errors, problems }).toEqual({ errors: [], problems: [] });
    expect(JSON.parse(output ?? "")).toEqual({ no: "A", items: [{ unit: "ST" }] });
  });

  it("names the target and the source of every failing field", () => {
    const { output, errors } = previewDocument(order, '{"lines":[{"unit":"piece"},{"unit":"crate"}]}', environment, 0);
    expect(output).toBeUndefined();
    expect(errors.map(({ field, source }) => [field, source])).toEqual([
      ["no", "id"],
      ["items[1].unit", "lines[1].unit"],
    ]);
  });

  it("reports problems with their target field, without a sample", () => {
    const { problems, output } = previewDocument({ ...order, map: [{ to: "x.y", expr: "nosuch(1)" }] }, "", environment, 0);
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual(["x.y: unknown function 'nosuch'"]);
    expect(output).toBeUndefined();
  });

  it("reads JSON and YAML, and reports the position of a syntax error", () => {
    expect(readDocument('{"map": []}')).toEqual({ document: { map: [] } });
    expect(readDocument("map: []\n")).toEqual({ document: { map: [] } });
    const broken = readDocument('{\n  "map": [\n');
    expect("fault" in broken && broken.fault.at).toBeGreaterThan(0);
    expect("fault" in readDocument("[1]")).toBe(true);
  });

  it("runs the tests of the document", () => {
    const tests = [
      { name: "good", input: { id: "A", lines: [] }, output: { no: "A", items: [] } },
      { name: "bad", input: { id: "A", lines: [] }, output: { no: "B", items: [] } },
      { name: "half" },
    ];
    expect(runDocumentTests({ ...order, tests }, environment)).toEqual([
      { name: "good", failure: undefined },
      { name: "bad", failure: 'no: expected "B", got "A"' },
      { name: "half", failure: "a test needs input, and output or the text of an error" },
    ]);
    expect(runDocumentTests({ map: "no" }, environment)).toBeUndefined();
  });

  it("creates a passing test from a sample and its output", () => {
    const sample = '{"id":"A","lines":[]}';
    const text = withTest(order, sample, previewDocument(order, sample, environment, 0).output ?? "");
    const read = readDocument(text);
    if ("fault" in read) throw new Error(read.fault.message);
    expect(runDocumentTests(read.document, environment)).toEqual([{ name: "sample 1", failure: undefined }]);
    expect(JSON.parse(sampleOf(read.document))).toEqual({ id: "A", lines: [] });
  });

  it("creates a new document that works", () => {
    const read = readDocument(newDocumentText("Orders"));
    if ("fault" in read) throw new Error(read.fault.message);
    const { output, problems } = previewDocument(read.document, sampleOf(read.document), { tables: new Map() }, 0);
    expect(problems).toEqual([]);
    expect(JSON.parse(output ?? "")).toEqual({ orderNo: "A-1001", customerName: "Ada Lovelace" });
  });

  it("lists fields with their source and their value in the sample", () => {
    expect(fieldList(order, '{"no":"A","items":[{"unit":"ST"}]}')).toEqual([
      { target: "no", depth: 0, source: "id", result: "A" },
      { target: "items[]", depth: 0, source: "forEach lines", result: "1 ×" },
      { target: "unit", depth: 1, source: "lookup unit in uom (shop → sap)", result: "ST" },
    ]);
  });

  it("loads only the tables and languages used in the text, each once", async () => {
    const read: string[] = [];
    const lazyEnvironment = createLazyEnvironment({ tables: ["uom", "country"], documents: ["shared"] }, (kind, id) => {
      read.push(`${kind} ${id}`);
      return Promise.resolve(kind === "value-mappings" ? { columns: ["shop", "sap"], rows: [] } : { map: [] });
    });
    const text = JSON.stringify({ ...order, import: ["shared"] });
    expect(await lazyEnvironment.complete(text)).toBe(true);
    expect(await lazyEnvironment.complete(text)).toBe(false);
    expect(read).toEqual(["value-mappings uom", "message-mappings shared"]);
    expect(lazyEnvironment.environment.compileLanguage).toBeUndefined();
    await lazyEnvironment.complete('{"expr": {"simple": "${body}"}}');
    const document = { ...order, map: [{ to: "greeting", expr: { simple: "Hello ${body[id]}" } }] };
    expect(JSON.parse(previewDocument(document, '{"id":"A"}', lazyEnvironment.environment, 0).output ?? "")).toEqual({ greeting: "Hello A" });
  });
});
