// The schemas accept what the runtime accepts, and reject what it rejects because of its shape.
import { changedDocuments } from "@sluice/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { mappingSchema } from "./message-mapping/document-schema.ts";
import { problemsOf } from "./message-mapping/mapping-under-test.test-support.ts";
import { readTable } from "./value-mapping/read-table.ts";
import { tableSchema } from "./value-mapping/table-schema.ts";

const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true, allErrors: true });
const isTable = ajv.compile(tableSchema());
const isMapping = ajv.compile(mappingSchema());

const json = { format: "json" };
const withRule = (rule: object): object => ({ source: json, target: json, map: [rule] });
const fixed = (options: object): object => ({ source: { format: "fixed", ...options }, target: json, map: [] });
const edi = (options: object): object => ({ source: { format: "edi", ...options }, target: json, map: [] });
const field = { start: 1, length: 2 };

describe("the schema of value-mapping tables", () => {
  const tables: readonly [unknown][] = [
    [{ columns: ["a", "b"], rows: [] }],
    [{ name: "Units", onMissing: "key", match: "ignoreCase", columns: ["a", { id: "b", default: 1, match: "regex" }], rows: [["x", null]] }],
    [{ columns: [{ id: "a", agency: "SAP", identifier: "MEINS" }, "b"], rows: [["x", true]] }],
    [{ entries: {} }],
    [{ entries: { a: 1, b: null }, default: "x" }],
  ];
  it.each(tables)("accepts %j", (document) => {
    expect([readTable("t", document).problems, isTable(document)]).toEqual([[], true]);
  });

  it("is not stricter than the runtime for a document with one change", () => {
    const accepted = tables.flatMap(([document]) => changedDocuments(document)).filter((document) => readTable("t", document).problems.length === 0);
    expect(accepted.length).toBeGreaterThan(100);
    expect(accepted.filter((document) => !isTable(document))).toEqual([]);
  });

  it.each<[unknown]>([
    [[]],
    [{}],
    [{ columns: ["a"], rows: [] }],
    [{ columns: ["a", "b"] }],
    [{ columns: ["a", "b"], rows: [{}] }],
    [{ columns: ["a", " "], rows: [] }],
    [{ columns: ["a", "b\nc"], rows: [] }],
    [{ columns: ["a", { id: "b", defualt: 1 }], rows: [] }],
    [{ columns: ["a", { id: "b", match: "fuzzy" }], rows: [] }],
    [{ columns: ["a", "b"], rows: [["x", {}]] }],
    [{ columns: ["a", "b"], rows: [["x", "y".repeat(10_001)]] }],
    [{ columns: ["a", "b"], rows: [], default: 1 }],
    [{ entries: [] }],
    [{ entries: { a: [] } }],
    [{ entries: {}, onMissing: "skip" }],
    [{ entries: {}, default: {} }],
    [{ entries: {}, columns: ["a", "b"] }],
    [{ entries: {}, name: 5 }],
  ])("rejects %j", (document) => {
    expect(readTable("t", document).problems).not.toEqual([]);
    expect(isTable(document)).toBe(false);
  });
});

describe("the schema of message mappings", () => {
  const mappings: readonly [unknown][] = [
    [{ source: json, target: json, map: [] }],
    [withRule({ to: "a.b", from: "x", default: null, type: "date", format: { in: "yyyy", out: "yy" }, note: "n" })],
    [withRule({ to: "a", expr: "x + 1", scale: 2, required: true, maxLength: 5, pattern: "a.*", enum: [1] })],
    [withRule({ to: "a", value: null })],
    [withRule({ to: "a", switch: [{ when: "x", from: "x" }, { value: 1 }] })],
    [withRule({ to: "a[]", forEach: "l", as: "line", where: "n", sort: ["n", { by: "m", desc: true }], groupBy: "g", limit: 1, omitEmpty: true, map: [] })],
    [{ source: json, target: json, map: [{ to: "a", use: "p", with: "x" }], parts: { p: { map: [], note: "" } }, onError: "all" }],
    [{ source: json, target: json, map: [], vars: [{ name: "v", expr: "1" }], functions: { f: { args: ["x"], expr: "x" } } }],
    [{ source: json, target: json, map: [{ to: "a", from: "x" }], tests: [{ input: { x: 1 }, headers: {}, params: {}, output: { a: 1 } }] }],
    [{ source: { format: "xml", root: "r", namespaces: { n: "urn:n" } }, target: { format: "csv", delimiter: ";", quote: "", columns: ["a"] }, map: [] }],
    [{ source: { format: "json", schema: { type: "object" } }, target: { format: "json", schema: true }, map: [] }],
    [{ source: { format: "json", sample: { a: 1 } }, target: json, map: [{ to: "a", from: "a" }] }],
    [fixed({ fields: { a: field, b: { start: 3, length: 1, align: "right", pad: "0" } }, lineBreak: "\n" })],
    [fixed({ records: [{ name: "h", match: "H", fields: [{ name: "a", ...field }] }], loops: { h: ["l"] } })],
    [fixed({ records: { h: { match: "H", fields: { a: field } } } })],
    [edi({ dialect: "x12", loops: { LIN: ["QTY"] }, lineBreaks: true })],
    [edi({ dialect: { segment: "!", release: null } })],
    [edi({ dialect: { separators: { segment: "!" } } })],
  ];
  it.each(mappings)("accepts %j", (document) => {
    expect(problemsOf(document)).toEqual([]);
    expect([isMapping(document), isMapping.errors]).toEqual([true, null]);
  });

  it("is not stricter than the runtime for a document with one change", () => {
    const accepted = mappings.flatMap(([document]) => changedDocuments(document)).filter((document) => problemsOf(document).length === 0);
    expect(accepted.length).toBeGreaterThan(200);
    expect(accepted.filter((document) => !isMapping(document))).toEqual([]);
  });

  it.each<[unknown]>([
    [[]],
    [{}],
    [{ source: json, target: json }],
    [{ source: json, target: json, map: {} }],
    [{ source: json, target: json, map: [], mapp: [] }],
    [{ source: json, target: json, map: [], name: 1 }],
    [{ source: json, target: json, map: [], onError: "last" }],
    [{ source: {}, target: json, map: [] }],
    [{ source: { format: "yaml" }, target: json, map: [] }],
    [{ source: { format: "json", root: "r" }, target: json, map: [] }],
    [{ source: { format: "json", schema: "x.json" }, target: json, map: [] }],
    [{ source: { format: "xml", namespaces: { n: "" } }, target: json, map: [] }],
    [{ source: { format: "csv", delimiter: "" }, target: json, map: [] }],
    [{ source: { format: "csv", quote: "ab" }, target: json, map: [] }],
    [{ source: { format: "csv", columns: ["a", "a"] }, target: json, map: [] }],
    [fixed({})],
    [fixed({ fields: [] })],
    [fixed({ fields: [field] })],
    [fixed({ fields: { a: { start: 0, length: 1 } } })],
    [fixed({ fields: { a: field }, records: { h: { fields: { a: field } } } })],
    [fixed({ records: { h: { fields: { a: { ...field, pad: "00" } } } } })],
    [fixed({ records: { h: { match: 5, fields: { a: field } } } })],
    [edi({ dialect: "tradacoms" })],
    [edi({ dialect: { segment: "!!" } })],
    [edi({ dialect: { segments: "!" } })],
    [edi({ loops: { LIN: "QTY" } })],
    [withRule({ from: "x" })],
    [withRule({ to: "a" })],
    [withRule({ to: "a", from: "x", value: 1 })],
    [withRule({ to: "a", from: " " })],
    [withRule({ to: "a", fron: "x" })],
    [withRule({ to: "a", from: "x", limit: 1 })],
    [withRule({ to: "a", from: "x", with: "y" })],
    [withRule({ to: "a", from: "x", type: "text" })],
    [withRule({ to: "a", from: "x", scale: 13 })],
    [withRule({ to: "a", from: "x", required: "yes" })],
    [withRule({ to: "a", from: "x", enum: [] })],
    [withRule({ to: "a", from: "x", maxLength: -1 })],
    [withRule({ to: "a", from: "x", type: "date", format: { inn: "yyyy" } })],
    [withRule({ to: "a", expr: { jq: ".", xpath: "/" } })],
    [withRule({ to: "a", lookup: { table: "uom" } })],
    [withRule({ to: "a", lookup: { table: "uom", key: {} } })],
    [withRule({ to: "a", lookup: { table: "uom", key: "k", onMissing: "skip" } })],
    [withRule({ to: "a", switch: [] })],
    [withRule({ to: "a", switch: [{ value: 1, to: "b" }] })],
    [withRule({ to: "a[]", forEach: "l" })],
    [withRule({ to: "a[]", forEach: "l", from: "x", as: "a b" })],
    [withRule({ to: "a[]", forEach: "l", from: "x", sort: { desc: true } })],
    [withRule({ to: "a[]", forEach: "l", from: "x", sort: { by: "n", descending: true } })],
    [{ source: json, target: json, map: [], vars: [{ name: "1", expr: "1" }] }],
    [{ source: json, target: json, map: [], functions: { f: {} } }],
    [{ source: json, target: json, map: [], parts: { p: { rules: [] } } }],
    [{ source: json, target: json, map: [], import: "other" }],
    [{ source: json, target: json, map: [], tests: [{ input: {} }] }],
    [{ source: json, target: json, map: [], tests: [{ input: {}, output: {}, header: {} }] }],
    [{ source: json, target: json, map: [], tests: [{ input: {}, output: {}, headers: [] }] }],
  ])("rejects %j", (document) => {
    expect(problemsOf(document)).not.toEqual([]);
    expect(isMapping(document)).toBe(false);
  });
});
