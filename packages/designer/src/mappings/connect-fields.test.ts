import { compileMapping } from "@sluice/mapping";
import { expect, test } from "vitest";
import { previewDocument } from "./document-preview.ts";
import { connected, proposals, sourceFields, targetFields } from "./connect-fields.ts";

const sample = JSON.stringify({ id: "A", "odd name": 1, customer: { "e-mail": "a@b" }, lines: [{ sku: "KB", qty: 2 }], tags: ["x"] });
const document = {
  source: { format: "json" },
  target: {
    format: "json",
    schema: { properties: { orderNo: {}, Email: {}, items: { items: { properties: { material: {}, qty: {} }, required: ["qty"] } } }, required: ["Email"] },
  },
  map: [
    { to: "orderNo", expr: "upper(id)", required: true },
    { to: "items[]", forEach: "lines", map: [{ to: "material", value: "none" }] },
  ],
};
const environment = { tables: () => undefined, documents: () => undefined } as never;
const run = (text: string | undefined): unknown => {
  const { output, problems, errors } = previewDocument(JSON.parse(text ?? ""), sample, environment, 0);
  expect([problems, errors]).toEqual([[], []]);
  return JSON.parse(output ?? "null");
};

test("lists the fields of a sample with their rule paths", () => {
  expect(sourceFields(sample).map(({ path, name, depth, example }) => [path, name, depth, example])).toEqual([
    ["id", "id", 0, '"A"'],
    ["['odd name']", "odd name", 0, "1"],
    ["customer", "customer", 0, undefined],
    ["customer['e-mail']", "e-mail", 1, '"a@b"'],
    ["lines", "lines[]", 0, undefined],
    ["lines[*].sku", "sku", 1, '"KB"'],
    ["lines[*].qty", "qty", 1, "2"],
    ["tags", "tags[]", 0, '["x"]'],
  ]);
  expect(sourceFields("<a/>")).toEqual([]);
});

test("lists the fields of a target: filled fields with their source, and unfilled fields with whether they are required", () => {
  expect(targetFields(document).map(({ path, rule, filledFrom, required }) => [path, rule, filledFrom, required])).toEqual([
    ["orderNo", [0], "upper(id)", true],
    ["items[]", [1], "each of lines", false],
    ["items[].material", [1, 0], '"none"', false],
    ["items[].qty", undefined, undefined, true],
    ["Email", undefined, undefined, true],
  ]);
});

test("a connection fills the field, keeps the rest of its rule, and is relative to the surrounding loop", () => {
  const [orderNo, , material, qty, email] = targetFields(document);
  const first = JSON.parse(connected(document, "id", orderNo as never) ?? "");
  expect(first.map[0]).toEqual({ to: "orderNo", from: "id", required: true });
  expect(JSON.parse(connected(document, "lines[*].sku", material as never) ?? "").map[1].map).toEqual([{ to: "material", from: "sku" }]);
  const last = JSON.parse(connected(JSON.parse(connected(first, "lines[*].qty", qty as never) ?? ""), "customer['e-mail']", email as never) ?? "");
  expect(last.map[1].map).toEqual([
    { to: "material", value: "none" },
    { to: "qty", from: "qty" },
  ]);
  expect(run(JSON.stringify(last))).toEqual({ orderNo: "A", items: [{ material: "none", qty: 2 }], Email: "a@b" });
  const [, items] = targetFields(document);
  expect(JSON.parse(connected(document, "tags", items as never) ?? "").map[1]).toEqual({
    to: "items[]",
    forEach: "tags",
    map: [{ to: "material", value: "none" }],
  });
  expect(connected({ ...document, map: [] }, "id", orderNo as never)).toBeUndefined();
  expect(compileMapping(last, environment).problems).toEqual([]);
});

test("fields with the same name are suggested for unfilled fields", () => {
  expect(proposals(document, sample).map(({ source, target }) => [source, target.path])).toEqual([
    ["lines[*].qty", "items[].qty"],
    ["customer['e-mail']", "Email"],
  ]);
});
