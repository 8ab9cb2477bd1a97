import { readTable, type ValueTable } from "@sluice/mapping";
import { describe, expect, it } from "vitest";
import { previewDocument, readDocument, runDocumentTests, sampleOf, withTest, withSample } from "./document-preview.ts";
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
    // The rest of the output is still shown.
    expect(JSON.parse(output ?? "")).toEqual({ items: [{}, {}] });
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
    expect("syntaxError" in broken && broken.syntaxError.at).toBeGreaterThan(0);
    expect("syntaxError" in readDocument("[1]")).toBe(true);
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
      { name: "half", failure: "a test needs 'input' and either 'output' or 'error'" },
    ]);
    expect(runDocumentTests({ map: "no" }, environment)).toBeUndefined();
  });

  it("creates a passing test from a sample and its output", () => {
    const sample = '{"id":"A","lines":[]}';
    const text = withTest(order, sample, previewDocument(order, sample, environment, 0).output ?? "");
    const read = readDocument(text);
    if ("syntaxError" in read) throw new Error(read.syntaxError.message);
    expect(runDocumentTests(read.document, environment)).toEqual([{ name: "sample 1", failure: undefined }]);
    expect(JSON.parse(sampleOf(read.document))).toEqual({ id: "A", lines: [] });
  });

  it("creates a new document that is valid and maps an empty object", () => {
    const read = readDocument(newDocumentText("Orders"));
    if ("syntaxError" in read) throw new Error(read.syntaxError.message);
    expect(previewDocument(read.document, "{}", { tables: new Map() }, 0)).toMatchObject({ problems: [], output: "{}\n" });
  });

  it("checks paths against the sample that is shown, not the one that was saved", () => {
    const document = { source: { format: "json", sample: { id: "A" } }, target: { format: "json" }, map: [{ to: "no", from: "number" }] };
    expect(previewDocument(document, '{"number":1}', environment, 0).problems).not.toEqual([]);
    expect(previewDocument(withSample(document, '{"number":1}'), '{"number":1}', environment, 0).problems).toEqual([]);
  });

  it("loads only the tables, documents and languages used in the text, each once", async () => {
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
